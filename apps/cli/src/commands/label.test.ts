import { Cluster } from "@bowline/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startObjectServer, type ObjectServer } from "../testing/object-server.ts";
import { effectiveChanges, overwrittenKeys, parseMetadataArguments } from "./label.ts";

let server: ObjectServer;
beforeAll(async () => {
  server = await startObjectServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function labelsOf(name: string): Promise<object> {
  return (await server.client.get(Cluster, name)).metadata.labels;
}

describe("label", () => {
  test("sets labels and takes them out, and leaves the others", async () => {
    await server.client.create(Cluster, {
      metadata: { name: "a", labels: { keep: "1", drop: "2" } },
      spec: {},
    });
    expect(await server.bowline(["label", "cluster", "a", "env=prod", "drop-"])).toMatchObject({
      code: 0,
      out: "cluster/a labeled\n",
    });
    expect(await labelsOf("a")).toEqual({ keep: "1", env: "prod" });
    expect((await server.bowline(["label", "cluster", "a", "env=prod", "drop-"])).out).toBe(
      "cluster/a unchanged\n",
    );
  });

  test("does not replace a value without being told to", async () => {
    await server.client.create(Cluster, { metadata: { name: "b", labels: { env: "stage" } }, spec: {} });
    const refused = await server.bowline(["label", "cluster/b", "env=prod"]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.error).toContain("cluster/b has another value for env already; use --overwrite");
    const dry = await server.bowline(["label", "cluster/b", "env=prod", "--overwrite", "--dry-run"]);
    expect(dry.out).toBe("cluster/b labeled (dry run)\n");
    expect(await labelsOf("b")).toEqual({ env: "stage" });
    await server.bowline(["label", "clusters", "-l", "env=stage", "env=prod", "--overwrite"]);
    expect(await labelsOf("b")).toEqual({ env: "prod" });
  });

  test("passes on what the server thinks of a value", async () => {
    await server.client.create(Cluster, { metadata: { name: "c" }, spec: {} });
    const ran = await server.bowline(["label", "cluster", "c", "env=not a label"]);
    expect(ran.code).toBe(1);
    expect(ran.error).toContain("metadata.labels.env");
  });
});

test("annotate writes notes that labels could not hold", async () => {
  await server.client.create(Cluster, { metadata: { name: "noted" }, spec: {} });
  const ran = await server.bowline(["annotate", "cluster", "noted", "note=a = b, c"]);
  expect(ran).toMatchObject({ code: 0, out: "cluster/noted annotated\n" });
  expect((await server.client.get(Cluster, "noted")).metadata.annotations).toEqual({ note: "a = b, c" });
});

describe("parseMetadataArguments", () => {
  test("tells objects from changes", () => {
    expect(parseMetadataArguments(["cluster/a", "a.b/c=d", "cluster/b", "e-", "empty=", "x=y=z-"])).toEqual({
      resources: ["cluster/a", "cluster/b"],
      changes: { "a.b/c": "d", e: null, empty: "", x: "y=z-" },
    });
  });

  test.each([
    [["cluster", "a"], "Say what to change"],
    [["cluster", "a", "=b"], "«=b» has no key"],
    [["cluster", "a", "-"], "«-» has no key"],
    [["cluster", "a", "b=c", "b-"], "«b-» changes a key that another argument changes too"],
  ])("refuses %j", (args, message) => {
    expect(() => parseMetadataArguments(args)).toThrow(message);
  });
});

test("only what makes a difference is changed, and only another value is overwritten", () => {
  const current = { same: "a", other: "b", gone: "c" };
  const changes = { same: "a", other: "x", gone: null, missing: null, fresh: "y", constructor: "z" };
  expect(effectiveChanges(changes, current)).toEqual({
    other: "x",
    gone: null,
    fresh: "y",
    constructor: "z",
  });
  expect(overwrittenKeys(changes, current)).toEqual(["other"]);
});
