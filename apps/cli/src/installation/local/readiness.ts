import { readFile } from "node:fs/promises";
import { request } from "node:https";

import { BowlineError } from "@bowline/core";

import type { PhaseContext } from "../target.ts";

interface Answering {
  readonly url: string;
  /** The file that the server writes its CA to: whatever else answers there is not trusted. */
  readonly caFile: string;
}

interface Awaited extends Answering {
  readonly isRunning: () => Promise<boolean>;
  readonly lastWords: () => Promise<string>;
  readonly limitMs: number;
}

const lookAgainMs = 50;
const answerLimitMs = 5_000;

/** Resolves when the server says that it is ready; rejects with its last words when it ends before. */
export async function untilReady(awaited: Awaited, { clock, signal, progress }: PhaseContext): Promise<void> {
  const endMs = clock.monotonicMs() + awaited.limitMs;
  for (;;) {
    const answer = await readinessOf(awaited, signal);
    if (answer === "ready") return;
    progress(`waits for ${awaited.url}: ${answer}`);
    if (!(await awaited.isRunning())) {
      throw new BowlineError(
        "ProcessFailed",
        `The server ended before it was ready: ${await awaited.lastWords()}`,
      );
    }
    if (clock.monotonicMs() > endMs) {
      const seconds = Math.round(awaited.limitMs / 1000);
      const message = `The server is not ready after ${seconds} seconds (${answer}): ${await awaited.lastWords()}`;
      throw new BowlineError("Timeout", message);
    }
    await clock.sleep(lookAgainMs, signal);
  }
}

export async function isReady(server: Answering, { signal }: PhaseContext): Promise<boolean> {
  return (await readinessOf(server, signal)) === "ready";
}

/** `ready`, or why not. */
async function readinessOf({ url, caFile }: Answering, signal: AbortSignal): Promise<string> {
  const ca = await readFile(caFile, "utf8").catch(() => undefined);
  if (ca === undefined) return "it has no certificate yet";
  return new Promise((resolve) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(answerLimitMs)]);
    const asked = request(`${url}/readyz`, { ca, agent: false, signal: limit }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 ? "ready" : `it answers ${answer.statusCode}`);
    });
    asked.once("error", (error) => resolve(error.message));
    asked.end();
  });
}
