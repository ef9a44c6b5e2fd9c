import { Cluster, User, WorkloadInstance, type StatusOf } from "@bowline/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startObjectServer, type ObjectServer } from "../testing/object-server.ts";

let server: ObjectServer;
beforeAll(async () => {
  server = await startObjectServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function apply(stdin: string, ...flags: string[]): ReturnType<ObjectServer["bowline"]> {
  return server.bowline(["apply", "-f", "-", ...flags], { stdin });
}

const instance = (name: string, rest = ""): string => `
kind: WorkloadInstance
metadata: {name: ${name}}
spec:
  definition: web
  placement: {clusters: [a]}
${rest}`;

describe("apply", () => {
  test("creates, changes, and leaves alone, what is referred to first", async () => {
    const text = `
kind: Token
metadata: {name: robot}
spec: {user: robot}
---
kind: User
metadata: {name: robot}
`.concat("spec: {}\n");
    const first = await apply(text);
    expect(first).toMatchObject({ code: 0, error: "" });
    expect(first.out).toMatch(
      /^user\/robot created\ntoken\/robot created\n {2}secret: \S+ \(shown only this once\)\n$/,
    );
    const second = await apply(text.replace("spec: {}", "spec: {role: editor}"));
    expect(second).toMatchObject({ code: 0, out: "user/robot configured\ntoken/robot unchanged\n" });
  });

  test("checks everything and writes nothing on a dry run, even what refers to what is not there yet", async () => {
    const text =
      "kind: User\nmetadata: {name: dry}\nspec: {}\n---\nkind: Token\nmetadata: {name: dry}\nspec: {user: dry}\n";
    expect(await apply(text, "--dry-run")).toMatchObject({
      code: 0,
      out: "user/dry created (dry run)\ntoken/dry created (dry run)\n",
    });
    await expect(server.client.get(User, "dry")).rejects.toMatchObject({ code: "NotFound" });
    const unknown = await apply("kind: Token\nmetadata: {name: dry}\nspec: {user: nobody}\n", "--dry-run");
    expect(unknown.code).toBe(1);
    expect(unknown.error).toContain('there is no "nobody"');
  });

  test("goes on after what is refused, says where it is written, and fails in the end", async () => {
    const text = `kind: Cluster
metadata: {name: refused}
spec:
  provider: existing
  regoin: eu
  region: "!"
---
kind: Cluster
metadata: {name: accepted}
spec: {}
`;
    const ran = await apply(text);
    expect(ran).toMatchObject({ code: 1, out: "cluster/accepted created\n" });
    expect(ran.error).toMatch(
      /^error: standard input, document 1, line [56]: cluster\/refused: The Cluster is not valid: /,
    );
    expect(ran.error).toContain("  line 5, spec.regoin: is an unknown field; did you mean «region»?\n");
    expect(ran.error).toContain("  line 6, spec.region: must be a region");
    expect(ran.error).toMatch(/1 of 2 objects were refused\.\n$/);
  });

  test("does nothing at all when one of the files cannot be read", async () => {
    const ran = await apply(
      "kind: Cluster\nmetadata: {name: first}\nspec: {}\n---\nkind: Clutser\nmetadata: {name: b}\n",
    );
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.error).toContain("standard input, document 2, line 5: kind is «Clutser»");
    await expect(server.client.get(Cluster, "first")).rejects.toMatchObject({ code: "NotFound" });
  });

  test("prints the objects when asked, with what is issued only once", async () => {
    await server.client.create(User, { metadata: { name: "issued" }, spec: {} });
    const { out } = await apply(
      "kind: Token\nmetadata: {name: issued}\nspec: {user: issued}\n",
      "-o",
      "json",
    );
    expect(JSON.parse(out)).toMatchObject({ kind: "Token", status: { secret: expect.any(String) } });
    const { out: names } = await apply(`${instance("n1")}---${instance("n2")}`, "-o", "name");
    expect(names).toBe("workloadinstance/n1\nworkloadinstance/n2\n");
  });

  test("needs a file", async () => {
    const ran = await server.bowline(["apply"]);
    expect(ran.code).toBe(2);
    expect(ran.error).toContain("-f, --filename <FILE>");
  });
});

describe("what get prints", () => {
  test("apply accepts, changes nothing with it, and brings it back when it is gone", async () => {
    await apply(
      instance("round-trip", "  parameters: {port: '080', text: \"a: b\\n  c\\n\", yes: 'no', 'null': ''}\n"),
    );
    const { out: yaml } = await server.bowline(["get", "wi,user", "-o", "yaml"]);
    const again = await apply(yaml);
    expect(again).toMatchObject({ code: 0, error: "" });
    expect(again.out.split("\n").filter((line) => !line.endsWith(" unchanged"))).toEqual([""]);
    const before = await server.client.get(WorkloadInstance, "round-trip");
    await server.client.delete(WorkloadInstance, "round-trip");
    expect((await apply(yaml)).out).toContain("workloadinstance/round-trip created\n");
    expect((await server.client.get(WorkloadInstance, "round-trip")).spec).toEqual(before.spec);
  });

  test("is not refused because the status has changed since", async () => {
    await apply(instance("status-only"));
    const { out: yaml } = await server.bowline(["get", "wi/status-only", "-o", "yaml"]);
    const status: StatusOf<typeof WorkloadInstance> = {
      conditions: [],
      clusters: [{ cluster: "a", ready: "True", resourceCount: 0, healthyCount: 0 }],
      clusterCount: 1,
      readyCount: 1,
    };
    await server.client.putStatus(WorkloadInstance, "status-only", status);
    expect(await apply(yaml.replace("prune: true", "prune: false"))).toMatchObject({
      code: 0,
      out: "workloadinstance/status-only configured\n",
    });
    expect((await server.client.get(WorkloadInstance, "status-only")).status.clusters).toHaveLength(1);
  });

  test.each([
    ["spec", { spec: { prune: false } }],
    ["labels", { metadata: { labels: { team: "other" } } }],
  ])("is refused when somebody has changed the %s since", async (what, patch) => {
    const name = `changed-${what}`;
    await apply(instance(name));
    const { out: yaml } = await server.bowline(["get", `wi/${name}`, "-o", "yaml"]);
    await server.client.patch(WorkloadInstance, name, patch);
    const ran = await apply(yaml.replace("namespace: default", "namespace: other"));
    expect(ran.code).toBe(1);
    expect(ran.error).toContain("was changed since this manifest was read");
    expect((await server.client.get(WorkloadInstance, name)).spec.namespace).toBe("default");
    // An object that is as the manifest says needs no writing, whoever made it so.
    await server.client.patch(WorkloadInstance, name, {
      spec: { prune: true },
      metadata: { labels: { team: null } },
    });
    expect((await apply(yaml)).out).toBe(`workloadinstance/${name} unchanged\n`);
    await server.client.patch(WorkloadInstance, name, patch);
    const withoutVersion = yaml.replace(/ {2}resourceVersion: .*\n/u, "");
    expect((await apply(withoutVersion)).code).toBe(0);
  });
});

describe("apply --wait", () => {
  test("waits until it is ready, for the spec that was applied", async () => {
    const ran = apply(instance("waited"), "--wait");
    const condition = {
      type: "Ready",
      status: "True",
      reason: "Healthy",
      message: "",
      observedGeneration: 1,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    } as const;
    for (let isThere = false; !isThere;) {
      isThere = await server.client.get(WorkloadInstance, "waited").then(
        () => true,
        () => false,
      );
    }
    await server.client.putStatus(WorkloadInstance, "waited", {
      conditions: [condition],
      clusters: [],
      clusterCount: 0,
      readyCount: 0,
      observedGeneration: 1,
    });
    expect(await ran).toMatchObject({ code: 0, out: "workloadinstance/waited created\n" });
    expect((await ran).error).toMatch(/workloadinstance\/waited is ready\.\n$/);
  });

  test("gives up after a while, and says how things stand", async () => {
    const ran = await apply(instance("never"), "--wait", "--timeout", "10ms");
    expect(ran).toMatchObject({ code: 1, out: "workloadinstance/never created\n" });
    expect(ran.error).toContain("Gave up waiting for workloadinstance/never: ");
  });
});
