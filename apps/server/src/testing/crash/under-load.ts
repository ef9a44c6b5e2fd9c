import type { Cluster } from "@bowline/api";
import { expect } from "vitest";

import { ApiConnection } from "./api-connection.ts";
import { ClientLoad } from "./client-load.ts";
import { brokenByState, brokenByWatch, differences } from "./kept-promises.ts";
import type { ReconcileRecord } from "./reconcile-record.ts";
import { ResumingWatch } from "./resuming-watch.ts";
import type { ServerProcess } from "./server-process.ts";

export interface Scene {
  /** All run when the load begins, and at least one when the faults are over. */
  readonly servers: readonly ServerProcess[];
  readonly token: string;
  readonly record: ReconcileRecord;
  readonly seed: number;
  /** How soon after the faults everything has to be reconciled. */
  readonly settleLimitMs: number;
}

interface ClusterList {
  readonly metadata: { readonly resourceVersion: string; readonly cursor?: string };
  readonly items: readonly Cluster[];
}

const watchLimitMs = 20_000;

/** Has clients write and a watch follow while the faults strike, and then holds the servers to what they promised. */
export async function underLoad(
  scene: Scene,
  faults: (load: ClientLoad, watch: ResumingWatch) => Promise<void>,
): Promise<void> {
  const { servers, token, record, seed } = scene;
  const urls = servers.map(({ url }) => url);
  const after = await currentResourceVersion(scene);
  await using watch = new ResumingWatch({ urls, token, after });
  await using load = new ClientLoad({ urls, token, seed });
  await faults(load, watch);
  await load.finish();
  expect(load.problems).toEqual([]);
  await endsReconciled(scene);
  expect(brokenByState(load.objects, await listAll(scene))).toEqual([]);
  await expect
    .poll(() => brokenByWatch(load.objects, watch.changes), { timeout: watchLimitMs, interval: 100 })
    .toEqual([]);
  expect(watch.problems).toEqual([]);
  await isToldTheSame(scene, watch, after);
  expect(record.overlaps()).toEqual([]);
}

async function endsReconciled(scene: Scene): Promise<void> {
  const unobserved = async (): Promise<string[]> =>
    (await listAll(scene))
      .filter(({ metadata, status }) => status.observedGeneration !== metadata.generation)
      .map(({ metadata }) => metadata.name);
  await expect.poll(unobserved, { timeout: scene.settleLimitMs, interval: 200 }).toEqual([]);
}

/** A watch that is never cut off sees what the other one saw. */
async function isToldTheSame(scene: Scene, watch: ResumingWatch, after: string): Promise<void> {
  await using other = new ResumingWatch({ urls: runningUrls(scene), token: scene.token, after });
  const lastOf = ({ changes }: ResumingWatch): number => changes.at(-1)?.resourceVersion ?? 0;
  const last = lastOf(watch);
  await expect.poll(() => lastOf(other), { timeout: watchLimitMs }).toBeGreaterThanOrEqual(last);
  // The other one may ask a replica that is ahead: what it has seen, the first one sees in a moment.
  const textsOf = ({ changes }: ResumingWatch): string[] => changes.map((change) => JSON.stringify(change));
  await expect.poll(() => differences(textsOf(other), textsOf(watch)), { timeout: watchLimitMs }).toEqual([]);
}

async function currentResourceVersion(scene: Scene): Promise<string> {
  return (await listPage(scene, "limit=1")).metadata.resourceVersion;
}

async function listAll(scene: Scene): Promise<Cluster[]> {
  const items: Cluster[] = [];
  let cursor: string | undefined;
  do {
    const page = await listPage(scene, cursor === undefined ? "limit=500" : `limit=500&cursor=${cursor}`);
    items.push(...page.items);
    ({ cursor } = page.metadata);
  } while (cursor !== undefined);
  return items;
}

async function listPage(scene: Scene, query: string): Promise<ClusterList> {
  using connection = new ApiConnection(runningUrls(scene), scene.token);
  const path = `/api/v1/clusters?${query}`;
  const { status, body } = await connection.send<ClusterList>({ method: "GET", path });
  const { metadata, items } = body;
  if (metadata === undefined || items === undefined)
    throw new Error(`${path} was answered ${status} ${JSON.stringify(body)}`);
  return { metadata, items };
}

function runningUrls({ servers }: Scene): string[] {
  return servers.filter(({ isRunning }) => isRunning).map(({ url }) => url);
}
