#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Before anything else is loaded: the second start then takes half as long.
enableCompileCache();

// These two run for long, and tune their heap; commands want to be done.
if (/^(?:server|agent)$/u.test(process.argv[2] ?? "")) {
  const { startInterpreted } = await import("@bowline/program/v8-flags");
  startInterpreted();
}

const { runProcess } = await import("./run-process.ts");
const { allCommands } = await import("./commands/command-list.ts");
process.exitCode = await runProcess(process, allCommands);
