import { WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { fakeContext } from "../testing/fake-context.ts";
import { startObjectServer } from "../testing/object-server.ts";
import { showHistory } from "./history.ts";

const idOf = (letter: string): string => `sha256:${letter.repeat(64)}`;
const revision = {
  id: idOf("a"),
  resolvedAt: "2026-01-01T00:00:00.000Z",
  objects: 3,
  bytes: 420,
  current: true,
  clusters: 2,
};
const older = {
  ...revision,
  id: idOf("b"),
  commit: "c0ffee".repeat(6) + "beef",
  author: "ada",
  current: false,
  clusters: 1,
};
const options = { limit: 100, output: "table", headers: true } as const;

function contextWith(items: readonly (typeof revision)[]) {
  return fakeContext({
    clock: new ManualClock(Date.parse("2026-01-01T00:05:00Z")),
    client: {
      listRevisions: async (_definition, { cursor } = {}) =>
        cursor === undefined && items.length > 1
          ? { metadata: { total: items.length, cursor: "next" }, items: items.slice(0, 1) }
          : { metadata: { total: items.length }, items: items.slice(items.length > 1 ? 1 : 0) },
      getRevision: async (_definition, id) => ({
        ...revision,
        id,
        manifests: [{ kind: "ConfigMap" }, { kind: "Secret" }],
        parameters: [],
      }),
    },
  });
}

describe("history", () => {
  test("lists all pages, the newest first", async () => {
    const context = contextWith([revision, older]);
    await showHistory(context, "wd/web", options);
    expect(context.terminal.written.split("\n")).toEqual([
      "REVISION       RESOLVED   COMMIT         OBJECTS   CLUSTERS   CURRENT",
      "aaaaaaaaaaaa   5m         <none>         3         2          yes",
      "bbbbbbbbbbbb   5m         c0ffeec0ffee   3         1          no",
      "",
    ]);
    const wide = contextWith([revision, older]);
    await showHistory(wide, "wd/web", { ...options, output: "wide" });
    expect(wide.terminal.written).toContain(`${idOf("b")}   5m         ${older.commit}`);
    expect(wide.terminal.written).toContain("ada");
    const json = contextWith([revision, older]);
    await showHistory(json, "wd/web", { ...options, output: "json" });
    expect(JSON.parse(json.terminal.written)).toEqual({ items: [revision, older] });
  });

  test("prints what one of them said, by the beginning of its id", async () => {
    const context = contextWith([revision, older]);
    await showHistory(context, "wd/web", { ...options, revision: "bb" });
    expect(context.terminal.written).toBe("kind: ConfigMap\n---\nkind: Secret\n");
    await expect(
      showHistory(contextWith([revision, older]), "wd/web", { ...options, revision: "sha256:" }),
    ).rejects.toMatchObject({ code: "InvalidArgument" });
    await expect(
      showHistory(contextWith([revision]), "wd/web", { ...options, revision: "zz" }),
    ).rejects.toMatchObject({ code: "NotFound" });
  });

  test("of an instance is that of its definition, on a real server", async () => {
    await using server = await startObjectServer();
    const { client } = server;
    const manifests = (value: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { value: "${value}" }\n`;
    const apply = (value: string) =>
      client.apply(WorkloadDefinition, "web", {
        metadata: { name: "web" },
        spec: { source: { inline: { manifests: manifests(value) } } },
      });
    const current = async (): Promise<string | undefined> =>
      (await client.get(WorkloadDefinition, "web")).status.revision?.id;
    await apply("one");
    await expect.poll(current).toBeDefined();
    const first = await current();
    await apply("two");
    await expect.poll(current).not.toBe(first);
    await client.create(WorkloadInstance, {
      metadata: { name: "shop" },
      spec: { definition: "web", placement: { selector: { matchLabels: { none: "here" } } } },
    });
    const ran = await server.bowline(["history", "wi/shop", "-o", "json"]);
    expect(ran).toMatchObject({ code: 0, error: "" });
    expect(JSON.parse(ran.out).items).toMatchObject([
      { id: await current(), author: "admin", objects: 1, current: true, clusters: 0 },
      { id: first, author: "admin", current: false },
    ]);
    expect(await server.bowline(["history", "wi/none"])).toMatchObject({ code: 1, out: "" });
    expect((await server.bowline(["history", "cluster/a"])).code).toBe(2);
  });
});
