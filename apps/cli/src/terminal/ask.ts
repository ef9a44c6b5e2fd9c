import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

import { BowlineError } from "@bowline/core";

import type { ProcessStreams } from "./process-terminal.ts";
import type { AskOptions } from "./terminal.ts";

/** Asks on standard error, so that what is asked never ends up in a file, and reads a line. */
export async function ask(
  question: string,
  { stdin, stderr }: Pick<ProcessStreams, "stdin" | "stderr">,
  { hidden = false, signal }: AskOptions = {},
): Promise<string> {
  // From here on the terminal shows nothing by itself: readline repeats what is typed, or else nobody does.
  const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
  const lines = createInterface({ input: stdin, output, terminal: true });
  if (hidden) stderr.write(question);
  // In this mode the terminal hands Ctrl-C over as a character instead of raising the signal.
  const gone = new AbortController();
  const onGone = (): void => gone.abort();
  lines.once("SIGINT", onGone).once("close", onGone);
  signal?.addEventListener("abort", onGone, { once: true });
  try {
    if (signal?.aborted === true) onGone();
    return await lines.question(hidden ? "" : question, { signal: gone.signal });
  } catch (cause) {
    throw new BowlineError("Cancelled", "Nobody answered, and nothing was done.", { cause });
  } finally {
    signal?.removeEventListener("abort", onGone);
    lines.off("close", onGone).close();
    if (hidden || gone.signal.aborted) stderr.write("\n");
  }
}
