import { stat } from "node:fs/promises";
import { join } from "node:path";

import { Cluster } from "@bowline/api";
import type { Client } from "@bowline/client";
import type { Kubesim } from "@bowline/kubesim";
import { expect, test } from "vitest";

import { resultOf, spawnBowline } from "../../testing/bowline-process.ts";
import { edgeManifest, MovedServer } from "../../testing/moved-server.ts";

const manifest = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: app, image: web:1 }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: ${name} }
data: { a: b }
`;

/** Everything that a workload has in the cluster, with what changes when somebody writes it. */
function objectsOf(sim: Kubesim, name: string): string[] {
  const kinds = [
    ["deployments.apps", "default"],
    ["configmaps", "default"],
    ["workloads.bowline.dev", undefined],
  ] as const;
  return kinds.map(([resource, namespace]) => {
    const object = sim.api.get(resource, namespace, name);
    const { uid, resourceVersion, generation } = object?.metadata ?? {};
    return [resource, uid, resourceVersion, generation].join(" ");
  });
}

/** Writes one object again and again. */
function writeAlways(client: Client): { stop(): Promise<number> } {
  const stop = new AbortController();
  let count = 0;
  const writing = (async () => {
    while (!stop.signal.aborted) {
      count += 1;
      const metadata = { name: "noise", labels: { count: String(count) } };
      await client.apply(Cluster, "noise", { metadata, spec: { provider: "existing" } });
    }
  })();
  return {
    async stop() {
      stop.abort();
      await writing;
      return count;
    },
  };
}

test.each(["sqlite", "postgres"] as const)(
  "a server that is lost comes back from its backup on %s: its agent returns, and nothing is created again",
  async (type) => {
    const server = await MovedServer.create();
    await server.start(await server.place("first", "sqlite"));
    const sim = await server.addCluster();
    const client = await server.client();
    const deploy = async (name: string): Promise<void> => {
      const flags = ["--name", name, "--cluster", "edge", "--wait", "--timeout", "60s"];
      expect(await server.run(["deploy", "-", ...flags], manifest(name))).toMatchObject({ code: 0 });
    };
    await deploy("web");
    const deployedMs = Date.now();

    const writer = writeAlways(client);
    const file = join(server.folder, "bowline.backup");
    const created = await server.run(["backup", "create", file]);
    expect(created).toMatchObject({ code: 0 });
    expect(created.out).toMatch(/bowline\.backup: \d+ objects and \d+ other rows, .* as of /u);
    expect(created.error).toMatch(/^The encryption keys are not in it\. Without the key \S+ it cannot/u);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await server.run(["backup", "create", file])).toMatchObject({ code: 1 });
    expect(await server.run(["backup", "verify", file])).toMatchObject({ code: 0 });
    await deploy("late");
    expect(await writer.stop()).toBeGreaterThan(10);
    const { metadata } = await client.list(Cluster);
    const before = [...objectsOf(sim, "web"), ...objectsOf(sim, "late")];
    await server.kill();

    const second = await server.place("second", type);
    const restored = await server.run(["restore", file, ...second.flags]);
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.out).toMatch(/^Restored \d+ objects and \d+ other rows of the backup of /u);
    // What was applied within the last ten seconds is «just applied» to a server that has no report of it yet.
    await expect.poll(() => Date.now()).toBeGreaterThan(deployedMs + 10_000);
    await server.start(second);

    await expect
      .poll(async () => (await server.run(["get", "cluster", "edge", "-o", "json"])).out)
      .toContain('"reason": "Connected"');
    expect(await server.run(["wait", "wi/web", "--for", "healthy", "--timeout", "60s"])).toMatchObject({
      code: 0,
    });
    await expect
      .poll(async () => (await server.run(["tree", "wi/web"])).out)
      .toMatch(/Deployment default\/web +Healthy/u);
    expect([...objectsOf(sim, "web"), ...objectsOf(sim, "late")]).toEqual(before);

    const again = await server.client();
    const since = metadata.resourceVersion;
    await expect(again.watch(Cluster, {}, { since }).next()).rejects.toMatchObject({ code: "Expired" });
    await expect
      .poll(async () => (await server.run(["doctor", "-o", "json"])).out)
      .toContain("Clusters have workloads that the server does not know: late in edge.");
    expect(await server.run(["get", "wi", "late"])).toMatchObject({ code: 1 });
    // The same values as before: they were decrypted to find that out.
    expect(await server.run(["apply", "-f", "-"], edgeManifest)).toMatchObject({
      code: 0,
      out: "credential/git unchanged\ncluster/edge unchanged\naccessgrant/all unchanged\n",
    });
    expect(server.log).not.toMatch(/"level":"(?:error|fatal)"/u);
  },
  180_000,
);

test("a restore that is killed leaves nothing, and is begun again until it is done", async () => {
  const server = await MovedServer.create();
  await server.start(await server.place("first", "sqlite"));
  const client = await server.client();
  for (let count = 0; count < 300; count += 1) {
    await client.apply(Cluster, `c-${count}`, { metadata: { name: `c-${count}` }, spec: {} });
  }
  const file = join(server.folder, "bowline.backup");
  expect(await server.run(["backup", "create", file])).toMatchObject({ code: 0 });
  await server.kill();
  const second = await server.place("second", "sqlite");
  const restore = ["restore", file, ...second.flags];
  let kills = 0;
  let ended: { readonly code: number | null; readonly error: string } | undefined;
  for (let delayMs = 300; ended === undefined; delayMs += 110) {
    const child = spawnBowline(restore, { PATH: process.env["PATH"] ?? "" });
    const timer = setTimeout(() => child.kill("SIGKILL"), delayMs);
    const result = await resultOf(child);
    clearTimeout(timer);
    if (result.code === null) kills += 1;
    else ended = result;
  }
  // The one before may have been killed between its last write and its last word.
  expect(ended.code === 0 ? "done" : ended.error).toMatch(/^done$|The database is not empty/u);
  expect(kills).toBeGreaterThan(3);
  await server.start(second);
  expect((await server.run(["get", "clusters", "-o", "name"])).out.split("\n")).toHaveLength(301);
}, 120_000);
