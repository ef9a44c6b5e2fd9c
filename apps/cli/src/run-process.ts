import { BowlineError, ownFile, readOwnFile, systemClock } from "@bowline/core";
import { attachProcessSignals, signalExitCodes, type StopSignal } from "@bowline/program/process-signals";

import type { CommandSet } from "./command/command-set.ts";
import { BrokenPipe, brokenPipeExitCode } from "./command/failure.ts";
import { run } from "./program/run.ts";
import { createProcessTerminal } from "./program/process-terminal.ts";

/** Runs the command line that this process was started with; returns its exit code. */
export async function runProcess(process: NodeJS.Process, commandSet: CommandSet): Promise<number> {
  const stop = new AbortController();
  let stoppedBy: StopSignal | undefined;
  attachProcessSignals((signal) => {
    stoppedBy = signal;
    stop.abort(new BowlineError("Cancelled", "Interrupted."));
  }, process);
  let unwritten: NodeJS.ErrnoException | undefined;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // A pipe that was closed says EPIPE, a socket that was closed with something left to read ECONNRESET.
      if (error.code === "EPIPE" || error.code === "ECONNRESET") {
        stop.abort(new BrokenPipe("Nobody reads the output any more.", { cause: error }));
      } else {
        unwritten = error;
        stop.abort(new BowlineError("Cancelled", "The output cannot be written.", { cause: error }));
      }
    });
  }
  const code = await run(process.argv.slice(2), {
    ...(await ownVersion()),
    commandSet,
    terminal: createProcessTerminal(process),
    clock: systemClock,
    random: Math.random,
    environment: process.env,
    signal: stop.signal,
  });
  // The last words of a command may still be on their way to a pipe that nobody reads.
  await flushed(process.stdout);
  if (stop.signal.reason instanceof BrokenPipe) return brokenPipeExitCode;
  if (unwritten !== undefined) {
    process.stderr.write(`error: The output cannot be written: ${unwritten.message}.\n`);
    return 1;
  }
  return code === signalExitCodes.SIGINT && stoppedBy !== undefined ? signalExitCodes[stoppedBy] : code;
}

/** Resolves when everything has been written, or never will be; then its error has been reported. */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise((resolve) => {
    stream.write("", resolve);
  });
  await new Promise(setImmediate);
}

async function ownVersion(): Promise<{ readonly version: string; readonly revision?: string | undefined }> {
  const { version, gitHead }: { readonly version: string; readonly gitHead?: string } = JSON.parse(
    String(await readOwnFile(ownFile("../package.json", new URL("../package.json", import.meta.url)))),
  );
  return { version, revision: gitHead };
}
