import { createHmac } from "node:crypto";

import { nowMs } from "../api/measurement.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import { ask } from "../tunnel/ask.ts";
import type { Fleet } from "../workloads/fleet.ts";
import { ReadyWatch } from "../workloads/instances.ts";
import { define, isUpToDate, readDefinition } from "./definitions.ts";
import { hookToken, type GitStage } from "./git-stage.ts";

export interface PushMeasurement {
  /** From the end of each push until each cluster had it. */
  readonly toldMs: readonly number[];
  /** The same without a webhook. */
  readonly polledMs: readonly number[];
}

const pollInterval = "10s";

/** Pushes versions of a workload that is in all clusters, with a webhook and without. */
export async function measurePush(
  fleet: Fleet,
  git: GitStage,
  context: BenchmarkContext,
): Promise<PushMeasurement> {
  const toldMs = await pushTo(fleet, git, { ...context, name: "told", interval: "1h", isTold: true });
  const polledMs = await pushTo(fleet, git, {
    ...context,
    name: "polled",
    interval: pollInterval,
    isTold: false,
  });
  return { toldMs, polledMs };
}

interface PushOrder extends BenchmarkContext {
  readonly name: string;
  readonly interval: string;
  readonly isTold: boolean;
}

async function pushTo(fleet: Fleet, git: GitStage, order: PushOrder): Promise<number[]> {
  const { name, interval, isTold, rounds, progress, signal } = order;
  const { api } = fleet.server;
  // One of its own: a webhook would make the polls of all who follow the same rarer.
  const { repository, url } = await git.addRepository(`${name}.git`);
  const write = (version: string): Promise<string> =>
    repository.commit({ files: { "web.yaml": manifest(name, version) } });
  await write("first");
  await define(api, { name, url, interval, isTold });
  await isUpToDate(api, name);
  await place(fleet, name);
  const hook = (await readDefinition(api, name)).status.source?.webhook;
  const times: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    signal.throwIfAborted();
    const how = isTold ? "told by a webhook" : `found by a poll every ${interval}`;
    progress(`push ${round} of ${rounds} to ${fleet.clusters.length} clusters, ${how}`);
    const version = `${name}-${round}`;
    await write(version);
    const pushedMs = nowMs();
    if (hook !== undefined) await tellPush(fleet, hook, url);
    const seen = await fleet.inClusters<number[]>("versionSeen", { version });
    times.push(...seen.flat().map((atMs) => atMs - pushedMs));
  }
  return times;
}

function manifest(name: string, version: string): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { version } });
}

async function tellPush({ server: { api } }: Fleet, hook: string, url: string): Promise<void> {
  const body = { ref: "refs/heads/main", repository: { clone_url: url } };
  const signature = createHmac("sha256", hookToken).update(JSON.stringify(body)).digest("hex");
  const headers = { "x-github-event": "push", "x-hub-signature-256": `sha256=${signature}` };
  await ask(api, { method: "POST", path: `/hooks/git/${hook}`, body, headers });
}

async function place({ server: { api }, clusters }: Fleet, name: string): Promise<void> {
  using ready = await ReadyWatch.open(api, [name]);
  const placement = { clusters: clusters.map((cluster) => cluster.name) };
  await ask(api, {
    method: "POST",
    path: "/api/v1/workloadinstances",
    body: { metadata: { name }, spec: { definition: name, placement } },
  });
  await ready.all();
}
