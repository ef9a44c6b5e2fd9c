import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { WorkloadDefinition } from "@bowline/api";
import { seededRandom } from "@bowline/core/testing";
import { createTempFolder } from "@bowline/test-services";
import { TestAuthority } from "@bowline/test-services/certificates";
import { GitHttpServer, TestRepository } from "@bowline/test-services/git";
import { expect, onTestFinished, test } from "vitest";

import { send } from "../../run/testing/https-request.ts";
import { tempFolder } from "../../run/testing/start-test-server.ts";
import { faultSeed } from "./fault-seed.ts";
import { ReconcileRecord } from "./reconcile-record.ts";
import { ServerProcess } from "./server-process.ts";
import { adminToken } from "./start-servers.ts";

/** Some hundred kilobytes, so that there is something to fetch and to render. */
const manifests = (version: number): string =>
  Array.from(
    { length: 2_000 },
    (_, at) =>
      `---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c-${at}\ndata:\n  version: "${version}"\n`,
  ).join("");

const kills = 15;
/** About as long as it takes from the first request to the last write. */
const workMs = 1_500;

test(
  `a server that is killed while it polls, fetches and renders ends as if nothing had happened (FAULT_SEED=${faultSeed})`,
  { timeout: 180_000 },
  async () => {
    const random = seededRandom(faultSeed);
    const stack = new AsyncDisposableStack();
    onTestFinished(() => stack.disposeAsync());
    const folder = stack.use(await createTempFolder("source-kills")).path;
    const repository = await TestRepository.create(join(folder, "served"));
    const authority = await TestAuthority.create();
    const tls = await authority.issue({ commonName: "server" });
    const git = stack.use(await GitHttpServer.start({ folder: join(folder, "served"), tls }));
    const first = await repository.commit({ files: { "web.yaml": manifests(0) } });

    const record = new ReconcileRecord();
    const server = await ServerProcess.create({ name: "server", dataFolder: await tempFolder(), record });
    await server.start();
    const token = await adminToken([server]);
    const write = (path: string, body: object) =>
      send(`${server.url}/api/v1/${path}`, { token, method: "POST", body });
    const spec = { type: "tls", hosts: ["127.0.0.1"], data: { caPem: authority.cert } };
    await write("credentials", { metadata: { name: "git" }, spec });
    const source = { git: { url: git.url(), interval: "10s", credential: "git" } };
    await write("workloaddefinitions", { metadata: { name: "web" }, spec: { source } });
    const read = async (): Promise<WorkloadDefinition> =>
      JSON.parse((await send(`${server.url}/api/v1/workloaddefinitions/web`, { token })).body);
    const isAt = async (commit: string): Promise<void> => {
      await expect
        .poll(async () => (await read()).status.revision?.commit, { timeout: 40_000, interval: 50 })
        .toBe(commit);
    };

    await isAt(first);
    for (let kill = 1; kill <= kills; kill += 1) {
      const commit = await repository.commit({ files: { "web.yaml": manifests(kill) } });
      const asked = git.requests.length;
      await send(`${server.url}/api/v1/workloaddefinitions/web/resolve`, { token, method: "POST" });
      // From the first request of the look on, at any time until it is over.
      await expect.poll(() => git.requests.length, { interval: 1 }).toBeGreaterThan(asked);
      await sleep(random() * workMs);
      await server.kill();
      await server.start();
      await isAt(commit);
    }
    const { status } = await read();
    expect(status.conditions.map(({ type, status: holds }) => `${type} ${holds}`).toSorted()).toEqual([
      "Ready True",
      "UpToDate True",
    ]);
    const { body } = await send(`${server.url}/api/v1/workloaddefinitions/web/revisions?limit=100`, {
      token,
    });
    // One for each commit that was looked at; none twice.
    const { items } = JSON.parse(body);
    expect(items[0]).toMatchObject({ current: true, commit: status.revision?.commit, objects: 2_000 });
    const commits: string[] = items.map((item: { readonly commit: string }) => item.commit);
    expect(new Set(commits).size).toBe(commits.length);
    expect(commits.length).toBe(kills + 1);
    // Whatever the dead ones left is gone.
    await server.terminate();
    const left = await readdir(join(server.dataFolder, "git"), { recursive: true });
    expect(left.filter((name) => /tmp_pack|\.lock$|bowline-render-/u.test(name))).toEqual([]);
    expect(record.errors).toEqual([]);
  },
);
