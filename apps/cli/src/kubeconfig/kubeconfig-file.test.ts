import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";

import { kubeconfigEntries } from "./kubeconfig-entries.ts";
import { KubeconfigDocument } from "./kubeconfig-file.ts";

const entries = (...clusters: string[]): ReturnType<typeof kubeconfigEntries> =>
  kubeconfigEntries({
    connection: { server: "https://bowline.example.com:7443", context: { name: "local", server: "" } },
    caPem: "PEM",
    clusters,
    credential: { command: "bowline", args: ["credential", "--context", "local"], env: [] },
  });

const mine = `# kept by hand
apiVersion: v1
kind: Config
current-context: home # where I live
clusters:
  # the one in the cellar
  - name: home
    cluster: { server: "https://10.0.0.1:6443", tls-server-name: home }
  - name: bowline-a
    cluster:
      server: https://old.example.com/clusters/a
users:
  - name: me
    user:
      token: secret
contexts:
  - name: home
    context: { cluster: home, user: me }
preferences: {}
extensions: []
`;

describe("a merge", () => {
  test("replaces our entries where they are, adds others at the end, and leaves every other line", () => {
    const document = new KubeconfigDocument(mine, "config");
    expect([...document.merge(entries("a", "b"))]).toEqual([
      ["bowline-a", "added"],
      ["bowline-b", "added"],
    ]);
    document.proposeContext("bowline-a");
    const merged = document.toString();
    const lines = merged.split("\n");
    const kept = mine.split("\n").filter((line) => !line.includes("old.example.com"));
    expect(lines).toEqual(expect.arrayContaining(kept));
    expect(parse(merged)).toMatchObject({
      "current-context": "home",
      clusters: [
        { name: "home" },
        { name: "bowline-a", cluster: { server: "https://bowline.example.com:7443/clusters/a" } },
        { name: "bowline-b", cluster: { server: "https://bowline.example.com:7443/clusters/b" } },
      ],
      users: [{ name: "me" }, { name: "bowline-local" }],
      contexts: [{ name: "home" }, { name: "bowline-a" }, { name: "bowline-b" }],
    });
  });

  test("done twice changes nothing the second time, and tells what it changed", () => {
    const first = new KubeconfigDocument("", "config");
    first.merge(entries("a"));
    const second = new KubeconfigDocument(first.toString(), "config");
    expect([...second.merge(entries("a")).values()]).toEqual(["unchanged"]);
    expect(second.toString()).toBe(first.toString());
    const moved = { ...entries("a"), clusters: [{ name: "bowline-a", cluster: { server: "https://b" } }] };
    expect([...second.merge(moved).values()]).toEqual(["updated"]);
  });

  test("makes a file that was empty a kubeconfig, with a current context", () => {
    const document = new KubeconfigDocument("# nothing yet\n", "config");
    document.merge(entries("a"));
    document.proposeContext("bowline-a");
    expect(parse(document.toString())).toMatchObject({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "bowline-a",
    });
  });

  const name = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !text.startsWith("bowline-"));
  const list = (field: string): fc.Arbitrary<object[]> =>
    fc.array(fc.record({ name, [field]: fc.jsonValue({ maxDepth: 2 }) }), { maxLength: 4 });
  const foreign = fc.record(
    {
      apiVersion: fc.constant("v1"),
      clusters: list("cluster"),
      users: list("user"),
      contexts: list("context"),
      "current-context": name,
      preferences: fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: [] },
  );

  test("what is not ours survives, whatever it is", () => {
    fc.assert(
      fc.property(foreign, fc.constantFrom(stringify, JSON.stringify), (config, write) => {
        const document = new KubeconfigDocument(write(config), "config");
        document.merge(entries("a", "b"));
        const merged: Readonly<Record<string, unknown>> = parse(document.toString());
        const before: Readonly<Record<string, unknown>> = parse(write(config));
        const { clusters, users, contexts } = entries("a", "b");
        expect(merged).toEqual({
          ...before,
          clusters: [...listIn(before, "clusters"), ...clusters],
          users: [...listIn(before, "users"), ...users],
          contexts: [...listIn(before, "contexts"), ...contexts],
        });
      }),
    );
  });
});

function listIn(config: Readonly<Record<string, unknown>>, field: string): unknown[] {
  const list = config[field];
  return Array.isArray(list) ? list : [];
}

test("where it is no YAML is said in one sentence", () => {
  expect(() => new KubeconfigDocument("clusters: [", "/home/config")).toThrow(
    /line 1, column \d+; correct it/u,
  );
});

describe("what is no kubeconfig is left alone", () => {
  test.each([
    ["clusters: [", "is not valid YAML"],
    ["- a", "is not a map"],
    ["clusters: {}", "has clusters that are not a list"],
    ["a: 1\n---\nb: 2\n", "is not valid YAML"],
  ])("%j", (text, problem) => {
    expect(() => new KubeconfigDocument(text, "/home/config")).toThrow(`/home/config ${problem}`);
  });
});
