import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

import { BowlineError } from "@bowline/core";

import type { ProcessStreams } from "./process-terminal.ts";

/** Asks on standard error, so that what is asked never ends up in a file. */
export async function askLine(
  question: string,
  streams: ProcessStreams,
  signal?: AbortSignal,
): Promise<string> {
  return ask(question, { input: streams.stdin, output: streams.stderr }, signal);
}

/** The same, without showing what is typed. */
export async function askHidden(
  question: string,
  streams: ProcessStreams,
  signal?: AbortSignal,
): Promise<string> {
  streams.stderr.write(question);
  // readline echoes what is typed by itself: here into nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await ask("", { input: streams.stdin, output: nowhere }, signal);
  } finally {
    streams.stderr.write("\n");
  }
}

interface Conversation {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WritableStream;
}

async function ask(question: string, { input, output }: Conversation, signal?: AbortSignal): Promise<string> {
  const lines = createInterface({ input, output, terminal: true });
  // In the mode that readline sets, the terminal hands Ctrl-C over as a character instead of raising the signal.
  const interrupted = new AbortController();
  const onInterrupt = (): void => interrupted.abort();
  lines.once("SIGINT", onInterrupt).once("close", onInterrupt);
  signal?.addEventListener("abort", onInterrupt, { once: true });
  try {
    return await lines.question(question, { signal: interrupted.signal });
  } catch (cause) {
    throw new BowlineError("Cancelled", "Nobody answered.", { cause });
  } finally {
    signal?.removeEventListener("abort", onInterrupt);
    lines.close();
  }
}
