import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { forEachAtOnce } from "../agents/for-each-at-once.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import { memoryOf } from "../memory-of.ts";
import { cpuSeconds } from "../tunnel/cpu-seconds.ts";
import { ProductServer } from "../tunnel/product-server.ts";
import type { Programs } from "../workloads/programs.ts";
import { areUpToDate, define } from "./definitions.ts";
import { GitStage } from "./git-stage.ts";

export const repositoryCount = 1_000;
const minutes = 5;
const postsAtOnce = 8;

export interface PollMeasurement {
  /** Of one core, over the minutes. */
  readonly cpuShare: number;
  readonly pollsPerMinute: number;
  /** At the beginning, and after each minute. */
  readonly rssBytes: readonly number[];
  readonly openFiles: readonly number[];
}

/** Follows a thousand repositories with an interval of a minute, in which nothing changes. */
export async function measurePoll(
  programs: Programs,
  { progress, signal }: BenchmarkContext,
): Promise<PollMeasurement> {
  await using git = await GitStage.start();
  await git.repository.commit({
    files: { "web.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}\n" },
  });
  await using server = await ProductServer.start({ program: programs.server });
  const { api, pid } = server;
  await git.introduceTo(api);
  progress(`${repositoryCount} repositories are read for the first time`);
  const urls = await git.copies(repositoryCount);
  await forEachAtOnce([...urls.entries()], postsAtOnce, ([index, url]) =>
    define(api, { name: `followed-${index}`, url, interval: "1m", isTold: false }),
  );
  await areUpToDate(api, repositoryCount);
  progress(`they are polled for ${minutes + 1} minutes, of which the first is not measured`);
  await sleep(60_000, undefined, { signal });
  const polledBefore = await server.metric("bowline_git_polls_total");
  const cpuBefore = await cpuSeconds([pid]);
  const [rssBytes, openFiles] = [[await memoryOf(pid, "VmRSS")], [await openFilesOf(pid)]];
  for (let minute = 1; minute <= minutes; minute += 1) {
    await sleep(60_000, undefined, { signal });
    rssBytes.push(await memoryOf(pid, "VmRSS"));
    openFiles.push(await openFilesOf(pid));
  }
  return {
    cpuShare: ((await cpuSeconds([pid])) - cpuBefore) / (minutes * 60),
    pollsPerMinute: ((await server.metric("bowline_git_polls_total")) - polledBefore) / minutes,
    rssBytes,
    openFiles,
  };
}

async function openFilesOf(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}
