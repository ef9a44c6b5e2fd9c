import { WorkloadInstance, WorkloadPlacement, type WorkloadDiff } from "@bowline/api";
import { sendJson, TestServer } from "@bowline/client/testing";
import { expect, onTestFinished, test } from "vitest";

import { runBowline, type Ran } from "../../testing/run-bowline.ts";
import { webInstance, webPlacement } from "../../testing/sample-rollout.ts";

const configMap = (value: string): object => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  data: { b: "same", a: value },
  metadata: { namespace: "shop", name: "a" },
});
const named = { group: "", version: "v1", kind: "ConfigMap", namespace: "shop", name: "a" };
const changed = { ...named, change: "changed" as const, before: configMap("1"), after: configMap("2") };
const same = { unchangedCount: 2, objectCount: 0, objects: [] };

type Told = Omit<WorkloadDiff, "instance" | "cluster"> | { readonly status: number; readonly error: object };

/** A server with the instance `web`, which tells of each cluster what it is told here. */
async function start(clusters: Readonly<Record<string, Told>>) {
  const asked: unknown[] = [];
  const server = await TestServer.start(({ url, body }, response) => {
    const { pathname } = new URL(url, "http://server");
    if (pathname === "/api/v1/workloadinstances/web/diff") {
      const request: { readonly cluster: string } = JSON.parse(body);
      asked.push(request);
      const told = clusters[request.cluster];
      if (told !== undefined && "error" in told)
        return sendJson(response, told.status, { error: told.error });
      return sendJson(response, 200, { instance: "web", cluster: request.cluster, ...told });
    }
    const placement = { clusters: Object.keys(clusters) };
    const instance = webInstance({});
    if (pathname === `/api/v1/${WorkloadInstance.plural}/web`) {
      return sendJson(response, 200, { ...instance, spec: { ...instance.spec, placement } });
    }
    if (pathname === `/api/v1/${WorkloadPlacement.plural}`) {
      const items = Object.keys(clusters).map((cluster) => webPlacement(cluster, {}));
      return sendJson(response, 200, { metadata: { resourceVersion: "1", total: items.length }, items });
    }
    const missing = { code: "NotFound", message: "There is none.", requestId: "1" };
    return sendJson(response, 404, { error: missing });
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const environment = {
    BOWLINE_SERVER: server.url,
    BOWLINE_TOKEN: "bwl_test",
    BOWLINE_CONFIG: "/nowhere.yaml",
  };
  const diff = (args: readonly string[], options: { stdin?: string; isTty?: boolean } = {}): Promise<Ran> =>
    runBowline(["diff", ...args], { environment, ...options });
  return { diff, asked };
}

const different = { unchangedCount: 1, objectCount: 1, objects: [changed] };

test("clusters in which the same would happen are shown once, and those without a difference not at all", async () => {
  const { diff } = await start({ west: different, north: same, east: different });
  expect(await diff(["wi/web"])).toMatchObject({
    code: 1,
    error: "",
    out: [
      "east, west: 1 changed",
      "--- ConfigMap shop/a",
      "+++ ConfigMap shop/a",
      "@@ -4,5 +4,5 @@",
      "   name: a",
      "   namespace: shop",
      " data:",
      '-  a: "1"',
      '+  a: "2"',
      "   b: same",
      "",
    ].join("\n"),
  });
});

test("a person is told how many clusters have answered, until all have", async () => {
  const many = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((cluster) => [cluster, same]));
  const { diff } = await start(many);
  const { code, out, error } = await diff(["wi/web"], { isTty: true });
  expect({ code, out }).toEqual({ code: 0, out: "" });
  const shown = error.split("\r\u001B[2K");
  expect(shown[1]).toBe("0 of 6 clusters compared; asking a");
  expect(shown[4]).toBe("0 of 6 clusters compared; asking a, b, c, d");
  expect(shown.some((line) => line.startsWith("5 of 6 clusters compared; asking "))).toBe(true);
  // And nothing stays.
  expect(shown.at(-1)).toBe("");
  expect((await diff(["wi/web"])).error).toBe("");
});

test("one cluster is not worth a word", async () => {
  const { diff } = await start({ east: same });
  expect(await diff(["wi/web"], { isTty: true })).toMatchObject({ code: 0, error: "" });
});

test("nothing is said where nothing would change", async () => {
  const kept = { ...named, kind: "Namespace", change: "kept" as const, reason: "PruneProtected" };
  const { diff } = await start({ east: same, west: { ...same, objectCount: 1, objects: [kept] } });
  expect(await diff(["wi/web"])).toMatchObject({ code: 0, out: "", error: "" });
});

test("a cluster that cannot be asked is told, and the others are shown", async () => {
  const offline = { code: "AgentOffline", message: "The agent is not connected.", requestId: "1" };
  const refused = { code: "NotGranted", message: "No AccessGrant lets editor in.", requestId: "2" };
  const { diff } = await start({
    east: { status: 503, error: offline },
    north: { status: 403, error: refused },
    west: different,
  });
  const ran = await diff(["wi/web"]);
  expect(ran).toMatchObject({
    code: 2,
    error: "error: east: The agent is not connected.\nerror: north: No AccessGrant lets editor in.\n",
  });
  expect(ran.out).toMatch(/^west: 1 changed\n--- /u);
  const { clusters } = JSON.parse((await diff(["wi/web", "-o", "json"])).out);
  expect(clusters).toMatchObject([
    { cluster: "east", error: { code: "AgentOffline" } },
    { cluster: "north", error: { code: "NotGranted" } },
    { cluster: "west", objects: [{ name: "a", change: "changed" }] },
  ]);
});

test("what would be made, deleted, held back and refused is told for each resource", async () => {
  const { diff } = await start({
    east: {
      unchangedCount: 0,
      objectCount: 5,
      held: { count: 1, total: 1, limit: 0 },
      objects: [
        { ...named, name: "new", change: "created", after: configMap("2") },
        { ...named, name: "old", change: "deleted", before: configMap("1") },
        { ...named, name: "huge", change: "changed", message: "It is too large." },
        { ...named, name: "no", change: "refused", reason: "Forbidden", message: "You\u001B[2J may not." },
      ],
    },
  });
  const { code, out } = await diff(["wi/web"]);
  expect(code).toBe(2);
  expect(out).toMatch(/^east: 1 created, 1 changed, 1 deleted, 1 refused\n/u);
  expect(out).toContain("--- ConfigMap shop/new (missing)\n+++ ConfigMap shop/new\n@@ -0,0 +1,");
  expect(out).toContain("--- ConfigMap shop/old\n+++ ConfigMap shop/old (deleted)\n@@ -1,");
  expect(out).toContain("ConfigMap shop/huge would be changed. It is too large.\n");
  expect(out).toContain(String.raw`ConfigMap shop/no would be refused. Forbidden: You\u001b[2J may not.`);
  expect(out).toContain(
    "1 of 1 resources would be deleted, and 0 is the limit; that would wait for bowline approve wi/web.\n",
  );
  expect(out).toContain("1 more resource is not shown.\n");
});

test("is coloured on a terminal", async () => {
  const { diff } = await start({ east: different });
  const { out } = await diff(["wi/web"], { isTty: true });
  expect(out).toContain('\u001B[32m+  a: "2"\u001B[39m\n');
  expect(out).toContain('\u001B[31m-  a: "1"\u001B[39m\n');
});

test("only the clusters that are named are asked", async () => {
  const { diff, asked } = await start({ east: same, west: different });
  expect(await diff(["wi/web", "--cluster", "east"])).toMatchObject({ code: 0 });
  expect(asked).toEqual([{ cluster: "east" }]);
});

const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { a: '${{ value }}' }\n";

test.each([["-"], ["-f", "-"]])(
  "manifests are compared as deploy would write them, with %s %s",
  async (...what) => {
    const { diff, asked } = await start({ east: same, west: different });
    const flags = ["--name", "web", "--cluster", "west", "--set", "value=1"];
    expect(await diff([...what, ...flags], { stdin: manifest })).toMatchObject({ code: 1, error: "" });
    // What it would be taken out of is asked too.
    expect(asked).toMatchObject([
      { cluster: "east" },
      {
        cluster: "west",
        definition: {
          spec: { source: { inline: { manifests: manifest } }, parameters: [{ name: "value" }] },
        },
        instance: { spec: { placement: { clusters: ["west"] }, parameters: { value: "1" } } },
      },
    ]);
  },
);

test.each([
  [[], "Say what to compare"],
  [["wi/web", "-f", "a.yaml"], "not both"],
  [["wi/web", "--set", "a=1"], "--set is for manifests"],
  [["-f", "a.yaml", "-o", "json"], "-o is for workloads"],
  [["-f", "a.yaml", "-f", "b.yaml", "--cluster", "east"], "one file, one folder"],
  [["nowhere/web.yaml", "--cluster", "east"], "nowhere/web.yaml does not exist"],
])("refuses %j", async (args, message) => {
  const { diff } = await start({ east: same });
  const ran = await diff(args);
  expect(ran).toMatchObject({ code: 2, out: "" });
  expect(ran.error).toContain(message);
});
