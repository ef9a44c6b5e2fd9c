import { openSync } from "node:fs";
import { stdout } from "node:process";

import { systemClock } from "@bowline/core";

import { runProgramProcess } from "../program-process.ts";

/** Prints how a program ends that is to be started when this process may open nothing more. */
const { signal } = new AbortController();
const run = { command: "/bin/true", args: [], folder: "/", env: {}, input: "", clock: systemClock, signal };
stdout.write("");
try {
  for (;;) openSync("/dev/null", "r");
} catch {
  const { ending } = await runProgramProcess({ ...run, timeoutMs: 1_000 });
  stdout.write(JSON.stringify(ending));
}
