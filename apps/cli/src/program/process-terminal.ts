import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

import { BowlineError } from "@bowline/core";

import type { AskOptions, Terminal, TerminalInput, TerminalSize } from "../command/terminal.ts";

interface ProcessStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** The terminal, pipes or files that the process was started with. */
export function createProcessTerminal(streams: ProcessStreams): Terminal {
  const { stdin, stdout, stderr } = streams;
  return {
    out: (text) => void stdout.write(text),
    drained: () => drained(stdout),
    error: (text) => void stderr.write(text),
    isTty: stdout.isTTY,
    errorIsTty: stderr.isTTY,
    get columns() {
      // A terminal that does not know its size says 0.
      return stdout.isTTY && stdout.columns > 0 ? stdout.columns : undefined;
    },
    canAsk: stdin.isTTY && stderr.isTTY,
    readStdin: (maxBytes, signal) => readAll(stdin, maxBytes, signal),
    openInput: ({ raw }) => openInput(streams, raw),
    ask: (question, options) => ask(question, streams, options),
  };
}

/** A pipe that is closed drains no more: somebody else ends the command for that. */
async function drained(stdout: NodeJS.WriteStream): Promise<void> {
  if (!stdout.writableNeedDrain) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ["drain", "close", "error"] as const;
  for (const event of events) stdout.once(event, resolve);
  await promise;
  for (const event of events) stdout.off(event, resolve);
}

/** Standard input for another program. In raw mode every key is passed on, Ctrl-C among them. */
function openInput({ stdin, stdout }: ProcessStreams, raw: boolean): TerminalInput {
  const listeners: (() => void)[] = [];
  const sizeOf = (): TerminalSize | undefined =>
    stdout.isTTY ? { columns: stdout.columns, rows: stdout.rows } : undefined;
  const isRaw = raw && stdin.isTTY;
  if (isRaw) stdin.setRawMode(true);
  return {
    chunks: stdin as AsyncIterable<Buffer>,
    get size() {
      return sizeOf();
    },
    onResize: (listener) => {
      const onResize = (): void => {
        const size = sizeOf();
        if (size !== undefined) listener(size);
      };
      stdout.on("resize", onResize);
      listeners.push(() => stdout.off("resize", onResize));
    },
    [Symbol.dispose]: () => {
      for (const remove of listeners) remove();
      if (isRaw) stdin.setRawMode(false);
      // Whoever still waits for input that nobody needs keeps the process from ending.
      stdin.destroy();
    },
  };
}

async function readAll(stdin: NodeJS.ReadStream, maxBytes: number, signal?: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = (): void => void stdin.destroy();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) {
        throw new BowlineError("InvalidArgument", `Standard input is longer than ${maxBytes} bytes.`);
      }
      chunks.push(chunk);
    }
  } catch (thrown) {
    if (signal?.aborted !== true) throw thrown;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
  if (signal?.aborted === true) throw new BowlineError("Cancelled", "Reading standard input was cancelled.");
  return Buffer.concat(chunks, size).toString("utf8");
}

/** Asks on standard error, so that what is asked never ends up in a file, and reads a line. */
async function ask(
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
