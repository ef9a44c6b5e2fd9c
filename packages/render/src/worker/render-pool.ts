import { availableParallelism } from "node:os";

import { BowlineError, Gate, ownFile, systemClock, withDeadline, type Clock } from "@bowline/core";

import { defaultRenderLimits } from "../render-limits.ts";
import type { ReadResult } from "./read-manifests.ts";
import { RenderProcess } from "./render-process.ts";
import { receivedError, type WorkerTask } from "./worker-task.ts";

export interface RenderPoolOptions {
  /** How many processes work at once. */
  readonly concurrency?: number;
  /** Of the heap of each process. */
  readonly memoryBytes?: number;
  /** A process that has had nothing to do for so long is ended. */
  readonly idleMs?: number;
  readonly clock?: Clock;
  /** The source of the processes; tests have others. */
  readonly source?: URL;
}

export interface RunOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const maxWaiting = 1_000;
const workerSource = ownFile("render-process.mjs", new URL("render-process-main.ts", import.meta.url));

/**
 * Processes for the reading of YAML: started when needed, one task at a time in each, ended when idle, and at once when
 * their task is given up. Whoever makes a pool disposes of it.
 */
export class RenderPool implements AsyncDisposable {
  readonly #gate: Gate;
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #memoryBytes: number;
  readonly #source: URL;
  readonly #idle: { readonly worker: RenderProcess; readonly cancelEnd: () => void }[] = [];
  readonly #closing = new AbortController();
  #started = 0;

  constructor(options: RenderPoolOptions = {}) {
    const concurrency = options.concurrency ?? availableParallelism();
    const refusal = `More than ${maxWaiting} renderings wait already; try again later.`;
    this.#gate = new Gate({ concurrency, maxWaiting, refusal });
    this.#clock = options.clock ?? systemClock;
    this.#idleMs = options.idleMs ?? 30_000;
    this.#memoryBytes = options.memoryBytes ?? defaultRenderLimits.memoryBytes;
    this.#source = options.source ?? workerSource;
  }

  /** How many processes have nothing to do, and how many were started since the beginning. */
  get processes(): { readonly idle: number; readonly started: number } {
    return { idle: this.#idle.length, started: this.#started };
  }

  async run(task: WorkerTask, { timeoutMs, signal }: RunOptions): Promise<ReadResult> {
    return await this.#gate.pass(async () => {
      signal.throwIfAborted();
      this.#closing.signal.throwIfAborted();
      const worker = this.#take();
      const stop = AbortSignal.any([signal, this.#closing.signal]);
      const answer = await withDeadline(() => worker.ask(task), {
        clock: this.#clock,
        limitMs: timeoutMs,
        signal: stop,
        onTimeout: () => tookTooLong(timeoutMs),
      }).catch(async (thrown: unknown) => {
        // Given up, whoever asked: what the process does now nobody wants.
        await worker.end();
        stop.throwIfAborted();
        throw thrown;
      });
      this.#release(worker);
      if (answer.ok) return answer.result;
      throw receivedError(answer.error);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new BowlineError("Cancelled", "Rendering has been stopped."));
    const idle = this.#idle.splice(0);
    for (const { cancelEnd } of idle) cancelEnd();
    await Promise.all(idle.map(({ worker }) => worker.end()));
  }

  #take(): RenderProcess {
    const idle = this.#idle.pop();
    if (idle !== undefined) {
      idle.cancelEnd();
      return idle.worker;
    }
    this.#started += 1;
    const worker = new RenderProcess(this.#source, this.#memoryBytes);
    void worker.ended.then(() => this.#forget(worker));
    return worker;
  }

  #forget(worker: RenderProcess): void {
    const at = this.#idle.findIndex((idle) => idle.worker === worker);
    if (at < 0) return;
    const [idle] = this.#idle.splice(at, 1);
    idle?.cancelEnd();
  }

  #release(worker: RenderProcess): void {
    const end = (): void => {
      this.#forget(worker);
      void worker.end();
    };
    this.#idle.push({ worker, cancelEnd: this.#clock.after(this.#idleMs, end) });
  }
}

/** Also of renderers that are programs. */
export function tookTooLong(limitMs: number): BowlineError {
  return new BowlineError("RenderFailed", `Rendering took longer than ${limitMs} ms and was stopped.`, {
    details: { exceeded: "time", limit: limitMs },
  });
}
