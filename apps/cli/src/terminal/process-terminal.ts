import { BowlineError } from "@bowline/core";

import { ask } from "./ask.ts";
import type { Terminal } from "./terminal.ts";

export interface ProcessStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** The terminal, pipes or files that the process was started with. */
export function createProcessTerminal(streams: ProcessStreams): Terminal {
  const { stdin, stdout, stderr } = streams;
  return {
    out: (text) => void stdout.write(text),
    error: (text) => void stderr.write(text),
    isTty: stdout.isTTY,
    errorIsTty: stderr.isTTY,
    get columns() {
      // A terminal that does not know its size says 0.
      return stdout.isTTY && stdout.columns > 0 ? stdout.columns : undefined;
    },
    canAsk: stdin.isTTY && stderr.isTTY,
    readStdin: (maxBytes, signal) => readAll(stdin, maxBytes, signal),
    ask: (question, options) => ask(question, streams, options),
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
