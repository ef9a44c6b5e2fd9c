import { spawn, type ChildProcess } from "node:child_process";

import { BowlineError, isRecord, ownProcess } from "@bowline/core";

import { tooLarge } from "../files/source-file.ts";
import type { WorkerAnswer, WorkerTask } from "./worker-task.ts";

const mebibyte = 1024 * 1024;
const longestComplaint = 2_000;

/** A process that reads YAML, one task at a time. */
export class RenderProcess {
  /** Resolves when it is gone, with how that came. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #memoryBytes: number;
  #complaint = "";

  constructor(source: URL, memoryBytes: number) {
    this.#memoryBytes = memoryBytes;
    const { command, args, env } = ownProcess(source, [
      `--max-old-space-size=${Math.ceil(memoryBytes / mebibyte)}`,
    ]);
    this.#child = spawn(command, args, {
      env: { ...env },
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-longestComplaint);
    });
    this.ended = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => resolve(code === null ? String(signal) : String(code)));
      this.#child.once("error", (error) => resolve(error.message));
    });
    this.#keepsAlive(false);
  }

  async ask(task: WorkerTask): Promise<WorkerAnswer> {
    const { promise, resolve } = Promise.withResolvers<WorkerAnswer>();
    const onMessage = (message: unknown): void => resolve(readAnswer(message));
    this.#child.once("message", onMessage);
    this.#keepsAlive(true);
    try {
      // A process that has ended just now says so below.
      this.#child.send(task, () => undefined);
      const gone = this.ended.then((how) => Promise.reject(this.#crash(how)));
      return await Promise.race([promise, gone]);
    } finally {
      this.#child.off("message", onMessage);
      this.#keepsAlive(false);
    }
  }

  async end(): Promise<void> {
    this.#keepsAlive(true);
    this.#child.kill("SIGKILL");
    await this.ended;
  }

  /** While it has nothing to do, it keeps nobody from ending. */
  #keepsAlive(isBusy: boolean): void {
    for (const handle of [this.#child, this.#child.channel]) {
      if (isBusy) handle?.ref();
      else handle?.unref();
    }
  }

  #crash(how: string): BowlineError {
    if (this.#complaint.includes("out of memory")) {
      return tooLarge(`Rendering took more than ${this.#memoryBytes} bytes of memory.`, {
        exceeded: "memory",
        limit: this.#memoryBytes,
      });
    }
    return new BowlineError("RenderFailed", `The rendering process ended by itself (${how}).`, {
      cause: new Error(this.#complaint),
    });
  }
}

/** Our own process sends nothing else; what a broken one sends must not be taken for an answer. */
function readAnswer(message: unknown): WorkerAnswer {
  if (isAnswer(message)) return message;
  throw new BowlineError("Internal", "The rendering process answered something else.");
}

function isAnswer(message: unknown): message is WorkerAnswer {
  return isRecord(message) && typeof message["ok"] === "boolean";
}
