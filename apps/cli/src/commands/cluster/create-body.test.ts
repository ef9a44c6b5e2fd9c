import { describe, expect, test } from "vitest";

import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { fakeContext } from "../../testing/fake-context.ts";
import { wantedCluster, type BodyFlags } from "./create-body.ts";
import { parseField } from "./set-field.ts";

async function specOf(flags: BodyFlags, stdin?: string): Promise<object> {
  const terminal = new FakeTerminal(stdin === undefined ? {} : { stdin });
  const file = stdin === undefined ? {} : { filename: "-" };
  return wantedCluster(fakeContext({ client: {}, terminal }), "web", { ...file, ...flags });
}

describe("the Cluster that flags and a file describe", () => {
  test.each<[BodyFlags, object]>([
    [
      { provider: "kind", nodes: "3", kubernetesVersion: "1.36.1" },
      { provider: "kind", kind: { nodes: 3, kubernetesVersion: "1.36.1" } },
    ],
    [
      { provider: "exec", program: "rack", arg: ["--size=3", "a=b"] },
      { provider: "exec", exec: { command: "rack", args: ["--size=3", "a=b"] } },
    ],
    [
      { provider: "eks", region: "eu-central-1", nodeType: "m7g.large", credential: "aws" },
      {
        provider: "eks",
        region: "eu-central-1",
        eks: {
          credential: "aws",
          nodeGroups: [{ name: "nodes", minSize: 2, maxSize: 2, instanceType: "m7g.large" }],
        },
      },
    ],
    [
      {
        provider: "clusterapi",
        managementCluster: "mgmt",
        template: "small",
        set: [parseField("clusterapi.template.parameters.size=3"), parseField("maxNodes=5")],
      },
      {
        provider: "clusterapi",
        maxNodes: 5,
        clusterapi: {
          managementCluster: "mgmt",
          template: { definition: "small", parameters: { size: "3" } },
        },
      },
    ],
    [
      { provider: "kind", set: [parseField("protect=true"), parseField("expiresAt=2027-01-01T00:00:00Z")] },
      { provider: "kind", protect: true, expiresAt: "2027-01-01T00:00:00Z" },
    ],
  ])("%j", async (flags, spec) => {
    expect(await specOf(flags)).toMatchObject({ name: "web", body: { spec } });
  });

  test.each<[BodyFlags, string]>([
    [{ provider: "exec" }, "The provider exec needs --program NAME, or spec.exec.command in a file with -f."],
    [{ provider: "clusterapi", class: "small" }, "needs --management-cluster NAME"],
    [{ provider: "eks", nodeType: "m7g.large" }, "needs --region REGION"],
    [{ provider: "eks", region: "eu-central-1" }, "needs --node-type TYPE"],
  ])("%j is too little, and the flag that is missing is named", async (flags, message) => {
    await expect(specOf(flags)).rejects.toThrow(message);
  });

  test("flags are set on top of the file", async () => {
    const stdin =
      "kind: Cluster\nmetadata: { name: web, labels: { env: dev, team: a } }\nspec: { provider: eks, region: eu-central-1, eks: { nodeGroups: [{ name: small, instanceType: t4g.small, maxSize: 9 }] } }\n";
    const flags = { nodes: "4", labels: ["env=prod"], set: [parseField("eks.nodeGroups[0].capacity=spot")] };
    expect(await specOf(flags, stdin)).toMatchObject({
      body: {
        metadata: { labels: { env: "prod", team: "a" } },
        spec: {
          eks: {
            nodeGroups: [
              { name: "small", instanceType: "t4g.small", minSize: 4, maxSize: 4, capacity: "spot" },
            ],
          },
        },
      },
    });
  });

  test.each<[BodyFlags, string | undefined, RegExp]>([
    [{}, undefined, /--provider exec\|kind\|clusterapi\|eks.*cluster add/u],
    [{ provider: "exec", nodes: "3" }, undefined, /--nodes says nothing about .* exec/u],
    [{ provider: "kind", arg: ["a"] }, undefined, /--arg says nothing/u],
    [{ provider: "kind", nodes: "many" }, undefined, /kind\.nodes takes a whole number/u],
    [{ provider: "kind" }, "kind: Cluster\nmetadata: { name: other }\n", /calls the cluster "other"/u],
    [{ provider: "kind" }, "kind: User\nmetadata: { name: web }\n", /one Cluster/u],
    [
      { provider: "kind" },
      "kind: Cluster\nmetadata: { name: web }\nspec: { provider: eks }\n",
      /another provider/u,
    ],
    [{}, "kind: Cluster\nmetadata: { name: web }\nspec: { provider: existing }\n", /cluster add/u],
    [
      { provider: "exec", program: "a", set: [parseField("exec.args[1]=x")] },
      undefined,
      /\[1\] of a list, and not the one before/u,
    ],
  ])("%j is refused", async (flags, stdin, sentence) => {
    await expect(specOf(flags, stdin)).rejects.toMatchObject({
      code: "InvalidArgument",
      message: expect.stringMatching(sentence),
    });
  });

  test.each([
    ["maxNodes", /not FIELD=VALUE/u],
    ["kind=3", /no field «spec\.kind»/u],
    ["kind.nodez=3", /no field «spec\.kind\.nodez»/u],
    ["constructor.name=a", /no field/u],
    ["__proto__.a=1", /not FIELD=VALUE/u],
    ["kind..nodes=1", /no field/u],
    ["protect=yes", /takes true or false/u],
  ])("--set %s is refused", (text, sentence) => {
    expect(() => parseField(text)).toThrow(sentence);
  });
});
