import type { Cluster } from "@bowline/api";
import { createTempFolder } from "@bowline/test-services";

import { forEachAtOnce } from "../agents/for-each-at-once.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import type { ShippedProgram } from "../ship/shipped-program.ts";
import { cpuSeconds, endedChildrenCpuSeconds } from "../tunnel/cpu-seconds.ts";
import { ProductServer } from "../tunnel/product-server.ts";
import { ObjectWatch, post } from "./object-watch.ts";
import { rssOver } from "./resting-memory.ts";
import { askedQuestions, writeSlowProgram } from "./slow-program.ts";

export interface HundredMeasurement {
  /** Shares of a core. */
  readonly serverCpuShare: number;
  readonly programsCpuShare: number;
  readonly rssBeforeBytes: number;
  readonly rssBytes: number;
  /** A minute, all questions together; each is a start of the program and a request to the cloud behind it. */
  readonly starts: number;
  /** Of these, those that may make something. */
  readonly steps: number;
}

export const clusterCount = 100;
/** As long as a cloud takes for an answer. */
const delaySeconds = 0.3;
const retryAfterSeconds = 5;
const restSeconds = 10;
const measuredSeconds = 60;
const postsAtOnce = 8;
const begunLimitMs = 120_000;
const programName = "slow";

const creating = {
  state: "creating",
  step: { n: 2, of: 3, text: "Make the control plane", expectSeconds: 540 },
  record: { cloudId: "c-4711" },
  retryAfterSeconds,
};

/** A server on SQLite that makes 100 Clusters at once, none of which gets ready. */
export async function measureHundred(
  { main: program, env }: ShippedProgram,
  { progress, signal }: BenchmarkContext,
): Promise<HundredMeasurement> {
  await using owned = new AsyncDisposableStack();
  const { path: folder } = owned.use(await createTempFolder("bench-program"));
  const path = await writeSlowProgram(folder, { delaySeconds, answer: creating });
  const flags = [`--provider-programs=${programName}=${path}`];
  const server = owned.use(await ProductServer.start({ program, env, flags }));
  const rssBeforeBytes = await rssOver(server.pid, restSeconds, signal);
  progress(`${clusterCount} clusters are begun`);
  using clusters = await ObjectWatch.open<Cluster>(server.api, "clusters");
  await forEachAtOnce(clusterNames(), postsAtOnce, (name) =>
    post(server.api, "clusters", clusterNamed(name)),
  );
  await clusters.until("all of them are being made", areBegun, begunLimitMs);
  progress(`they are in progress for ${measuredSeconds} s`);
  const use = async () => ({
    server: await cpuSeconds([server.pid]),
    programs: await endedChildrenCpuSeconds(server.pid),
    asked: await askedQuestions(folder),
    atMs: performance.now(),
  });
  const before = await use();
  const rssBytes = await rssOver(server.pid, measuredSeconds, signal);
  const after = await use();
  const seconds = (after.atMs - before.atMs) / 1000;
  const aMinute = (count: (asked: typeof before.asked) => number): number =>
    ((count(after.asked) - count(before.asked)) / seconds) * 60;
  return {
    serverCpuShare: (after.server - before.server) / seconds,
    programsCpuShare: (after.programs - before.programs) / seconds,
    rssBeforeBytes,
    rssBytes,
    starts: aMinute(({ observe, next, other }) => observe + next + other),
    steps: aMinute(({ next }) => next),
  };
}

const clusterNames = (): string[] => Array.from({ length: clusterCount }, (_each, index) => `c-${index}`);

const clusterNamed = (name: string): object => ({
  metadata: { name },
  spec: { provider: "exec", exec: { command: programName } },
});

function areBegun(clusters: ReadonlyMap<string, Cluster>): boolean {
  const all = [...clusters.values()];
  return all.length === clusterCount && all.every(({ status }) => status.provisioning?.step?.number === 2);
}
