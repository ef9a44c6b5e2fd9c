import { describe, expect, test } from "vitest";

import { clusterBody, emptyForm, type ClusterForm } from "./cluster-form.ts";

const specOf = (form: Partial<ClusterForm>): unknown => clusterBody({ ...emptyForm, ...form }).spec;

describe("the Cluster of a form", () => {
  test.each<[string, Partial<ClusterForm>, object]>([
    ["kind with nothing said", {}, { provider: "kind" }],
    [
      "kind",
      { nodes: "3", kubernetesVersion: " 1.36 ", maxNodes: "4" },
      { provider: "kind", kind: { nodes: 3, kubernetesVersion: "1.36" }, maxNodes: 4 },
    ],
    [
      "exec",
      { provider: "exec", program: "rack", args: "--size=3\n\n  --fast \n", nodes: "7" },
      { provider: "exec", exec: { command: "rack", args: ["--size=3", "--fast"] } },
    ],
    [
      "clusterapi by class",
      {
        provider: "clusterapi",
        managementCluster: "mgmt",
        clusterClass: "small",
        kubernetesVersion: "1.36.1",
      },
      {
        provider: "clusterapi",
        clusterapi: { managementCluster: "mgmt", topology: { class: "small", kubernetesVersion: "1.36.1" } },
      },
    ],
    [
      "clusterapi by definition",
      {
        provider: "clusterapi",
        managementCluster: "mgmt",
        madeOf: "template",
        template: "t",
        clusterClass: "c",
      },
      { provider: "clusterapi", clusterapi: { managementCluster: "mgmt", template: { definition: "t" } } },
    ],
    [
      "eks with two machines when nobody says how many",
      { provider: "eks", region: "eu-central-1", nodeType: "m7g.large", credential: "aws" },
      {
        provider: "eks",
        region: "eu-central-1",
        eks: {
          credential: "aws",
          nodeGroups: [{ name: "nodes", instanceType: "m7g.large", minSize: 2, maxSize: 2 }],
        },
      },
    ],
    [
      "what is no number, for the server to refuse",
      { nodes: "many", maxNodes: "-1" },
      { provider: "kind", kind: { nodes: "many" }, maxNodes: "-1" },
    ],
    [
      "an end that is no moment, as a year of five digits is, for the server to refuse",
      { endsAt: "20266-01-02T03:04" },
      { provider: "kind", expiresAt: "20266-01-02T03:04" },
    ],
    ["protection", { protect: true }, { provider: "kind", protect: true }],
  ])("%s", (_, form, spec) => {
    expect(specOf(form)).toEqual(spec);
  });

  test("has its end as a moment, and its name without what is around it", () => {
    const endsAt = "2027-01-02T03:04";
    const { metadata, spec } = clusterBody({
      ...emptyForm,
      name: " web ",
      labels: { env: "dev" },
      endsAt,
      autoDelete: true,
    });
    expect(metadata).toEqual({ name: "web", labels: { env: "dev" } });
    expect(spec).toEqual({ provider: "kind", expiresAt: new Date(endsAt).toISOString(), autoDelete: true });
  });
});
