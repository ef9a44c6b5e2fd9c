import { readFileSync } from "node:fs";

import { BowlineError, systemClock } from "@bowline/core";

import { BrokenPipe, brokenPipeExitCode } from "./failure/broken-pipe.ts";
import { run } from "./run.ts";
import { createProcessTerminal } from "./terminal/process-terminal.ts";

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** Runs the command line that this process was started with; returns its exit code. */
export async function runProcess(process: NodeJS.Process): Promise<number> {
  const stop = new AbortController();
  let stoppedBy: keyof typeof exitCodes | undefined;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // Somebody who asks twice will not wait for an orderly end.
      if (stoppedBy !== undefined) process.exit(exitCodes[signal]);
      stoppedBy = signal;
      stop.abort(new BowlineError("Cancelled", "Interrupted."));
    });
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      stop.abort(new BrokenPipe("Nobody reads the output any more.", { cause: error }));
    });
  }
  const code = await run(process.argv.slice(2), {
    version: ownVersion(),
    terminal: createProcessTerminal(process),
    clock: systemClock,
    random: Math.random,
    environment: process.env,
    signal: stop.signal,
  });
  if (stop.signal.reason instanceof BrokenPipe) return brokenPipeExitCode;
  return code === exitCodes.SIGINT && stoppedBy !== undefined ? exitCodes[stoppedBy] : code;
}

function ownVersion(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}
