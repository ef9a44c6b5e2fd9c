import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { hasCode } from "@bowline/core";

import { memoryOf } from "../memory-of.ts";
import { cpuSeconds } from "../tunnel/cpu-seconds.ts";

const lookEveryMs = 50;
/** In the arguments of the process that has the SDK. */
const mark = "aws-process";

export interface SdkProcessUse {
  /** The most that any of them had. */
  readonly peakRssBytes: number;
  /** Of all of them together. */
  readonly cpuSeconds: number;
  /** How long one was there, all of them together. */
  readonly seconds: number;
  /** How often one was started. */
  readonly starts: number;
}

interface Seen {
  readonly sinceMs: number;
  untilMs: number;
  peakRssBytes: number;
  cpuSeconds: number;
}

/** Looks after the processes that a server starts for AWS, until nobody needs it any more. */
export class SdkProcessLog implements AsyncDisposable {
  readonly #server: number;
  readonly #stop = new AbortController();
  readonly #seen = new Map<number, Seen>();
  readonly #looking: Promise<void>;
  #running: number | undefined;

  constructor(server: number) {
    this.#server = server;
    this.#looking = this.#look();
  }

  get use(): SdkProcessUse {
    const all = [...this.#seen.values()];
    return {
      peakRssBytes: Math.max(0, ...all.map(({ peakRssBytes }) => peakRssBytes)),
      cpuSeconds: all.reduce((sum, each) => sum + each.cpuSeconds, 0),
      seconds: all.reduce((sum, { sinceMs, untilMs }) => sum + (untilMs - sinceMs) / 1000, 0),
      starts: all.length,
    };
  }

  /** Resolves when there is none. */
  async untilGone(limitMs: number): Promise<void> {
    const endMs = performance.now() + limitMs;
    while (this.#running !== undefined) {
      if (performance.now() > endMs) throw new Error(`The process for AWS is still there: ${this.#running}`);
      await sleep(lookEveryMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#looking;
  }

  async #look(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#running = await this.#find();
      if (this.#running !== undefined) await this.#note(this.#running);
      await sleep(lookEveryMs);
    }
  }

  async #find(): Promise<number | undefined> {
    const children = await textOf(`/proc/${this.#server}/task/${this.#server}/children`);
    for (const pid of children.split(" ").filter((text) => text !== "")) {
      if ((await textOf(`/proc/${pid}/cmdline`)).includes(mark)) return Number(pid);
    }
    return undefined;
  }

  async #note(pid: number): Promise<void> {
    const nowMs = performance.now();
    const [peakRssBytes, used] = await Promise.all([memoryOf(pid, "VmHWM"), cpuSeconds([pid])]).catch(
      noneIfGone,
    );
    if (!Number.isFinite(peakRssBytes)) return;
    const seen = this.#seen.get(pid) ?? { sinceMs: nowMs, untilMs: nowMs, peakRssBytes, cpuSeconds: used };
    this.#seen.set(pid, Object.assign(seen, { untilMs: nowMs, peakRssBytes, cpuSeconds: used }));
  }
}

/** A process may end between two looks. */
function noneIfGone(error: unknown): [number, number] {
  if (hasCode(error, "ENOENT", "ESRCH")) return [Number.NaN, 0];
  throw error;
}

async function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ESRCH")) return "";
    throw error;
  });
}
