import { setTimeout as sleep } from "node:timers/promises";

import { memoryOf } from "../memory-of.ts";
import { median } from "../median.ts";

const sampleEveryMs = 1_000;

/** The resident set of a process: the median of a sample each second, for some seconds. */
export async function rssOver(pid: number, seconds: number, signal: AbortSignal): Promise<number> {
  const samples: number[] = [];
  for (let at = 0; at < seconds; at += 1) {
    await sleep(sampleEveryMs, undefined, { signal });
    samples.push(await memoryOf(pid, "VmRSS"));
  }
  return median(samples);
}
