import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { Cluster, requireKind, User, type WriteBodyOf } from "@bowline/api";
import { createClient, type ChangeEvent, type Client, type ReadObject } from "@bowline/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startRealServer, type RealServer } from "../testing/real-server.ts";
import { TestHome } from "../testing/test-home.ts";

/** The client against the real server: what one of them changes, the other has to know. */
let home: TestHome;
let dataFolder: string;
let server: RealServer;
let client: Client;

beforeAll(async () => {
  home = await TestHome.create();
  dataFolder = join(home.folder, "data");
  server = await startRealServer(dataFolder);
  client = createClient({
    server: server.url,
    token: (await readFile(server.adminTokenFile, "utf8")).trim(),
    caPem: await readFile(join(dataFolder, "tls", "ca.crt"), "utf8"),
  });
});

afterAll(async () => {
  await client.close();
  await server[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

const body = (name: string, region = "eu-1"): { metadata: { name: string }; spec: { region: string } } => ({
  metadata: { name },
  spec: { region },
});

describe("objects", () => {
  test("an apply tells what it came to", async () => {
    // A kind that no controller writes to meanwhile.
    const user = (role: "viewer" | "editor"): WriteBodyOf<typeof User> => ({
      metadata: { name: "a" },
      spec: { role },
    });
    expect(await client.apply(User, "a", user("viewer"))).toMatchObject({ outcome: "created" });
    expect(await client.apply(User, "a", user("viewer"))).toMatchObject({ outcome: "unchanged" });
    const dryRun = await client.apply(User, "a", user("editor"), { dryRun: true });
    expect(dryRun).toMatchObject({ outcome: "updated", object: { spec: { role: "editor" } } });
    const { outcome, object } = await client.apply(User, "a", user("editor"));
    expect(outcome).toBe("updated");
    const ifMatch = object.metadata.resourceVersion;
    expect(await client.patch(User, "a", { spec: { role: null } }, { ifMatch })).toMatchObject({
      spec: { role: "viewer" },
    });
    const stale = { code: "PreconditionFailed" };
    await expect(client.apply(User, "a", user("editor"), { ifMatch })).rejects.toMatchObject(stale);
    await expect(client.apply(User, "a", user("editor"), { ifNoneMatch: "*" })).rejects.toMatchObject(stale);
  });

  test("a create with a key happens once", async () => {
    const options = { idempotencyKey: "once" };
    const first = await client.create(Cluster, body("once"), options);
    expect(await client.create(Cluster, body("once"), options)).toEqual(first);
    await expect(client.create(Cluster, body("once"))).rejects.toMatchObject({ code: "AlreadyExists" });
  });

  test("what is not valid comes back with its fields and a request id", async () => {
    const kind = requireKind("cluster");
    const failure = client.create(kind, { metadata: { name: "A" }, spec: { region: 5, nonsense: 1 } });
    await expect(failure).rejects.toMatchObject({
      code: "Invalid",
      details: {
        httpStatus: 422,
        requestId: expect.any(String),
        fields: expect.arrayContaining([expect.objectContaining({ path: "spec.region" })]),
      },
    });
  });

  test("all pages of a list, and a selection of it", async () => {
    for (const name of ["p1", "p2", "p3"]) await client.apply(Cluster, name, body(name, "pages-1"));
    const query = { fieldSelector: "spec.region=pages-1", limit: 2 };
    const pages: string[][] = [];
    for await (const page of client.listAll(Cluster, query))
      pages.push(page.items.map((each) => each.metadata.name));
    expect(pages).toEqual([["p1", "p2"], ["p3"]]);
  });

  test("a deletion is planned, and done", async () => {
    await client.apply(Cluster, "gone", body("gone"));
    expect(await client.delete(Cluster, "gone", { dryRun: true, cascade: true })).toEqual({
      outcome: "planned",
      steps: [{ action: "delete", kind: "Cluster", name: "gone" }],
    });
    expect((await client.delete(Cluster, "gone")).outcome).toMatch(/^delet(ed|ing)$/);
  });

  test("without a token nobody gets anything", async () => {
    const caPem = await readFile(join(dataFolder, "tls", "ca.crt"), "utf8");
    const stranger = createClient({ server: server.url, caPem });
    await expect(stranger.list(Cluster)).rejects.toMatchObject({
      code: "Unauthorized",
      details: { httpStatus: 401 },
    });
    await stranger.close();
  });
});

test("a watch goes on when the server was stopped and started again", async () => {
  const { metadata } = await client.list(Cluster);
  const lost = Promise.withResolvers<void>();
  const opened: (() => void)[] = [];
  const open = new Promise<void>((resolve) => opened.push(resolve));
  const watch = client.watch(
    Cluster,
    { fieldSelector: "spec.region=watch-1" },
    { since: metadata.resourceVersion, onOpen: () => opened.shift()?.(), onLost: () => lost.resolve() },
  );
  const names = firstNames(watch, 2);
  await open;
  await client.apply(Cluster, "before", body("before", "watch-1"));
  await server[Symbol.asyncDispose]();
  await lost.promise;
  server = await startRealServer(dataFolder, { "--listen": server.address });
  await client.apply(Cluster, "after", body("after", "watch-1"));
  expect(await names).toEqual(["before", "after"]);
});

/** The names of the first objects that were added, after which the watch is left. */
async function firstNames(
  watch: AsyncGenerator<ChangeEvent<ReadObject<typeof Cluster>>>,
  count: number,
): Promise<string[]> {
  const names: string[] = [];
  for await (const event of watch) {
    if (event.type === "ADDED") names.push(event.object.metadata.name);
    if (names.length === count) break;
  }
  return names;
}
