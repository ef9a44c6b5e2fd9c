#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Before anything else is loaded. A server and an agent start seldom, most often where nothing is left of the start
// before, and what Node keeps of the cache is 2 MB of an agent. All others are started often, and then take half as long.
if (/^(?:server|agent)$/u.test(process.argv[2] ?? "")) {
  const { startInterpreted } = await import("@bowline/program/v8-flags");
  startInterpreted();
} else {
  enableCompileCache();
}

const { runProcess } = await import("./run-process.ts");
const { allCommands } = await import("./commands/command-list.ts");
process.exitCode = await runProcess(process, allCommands);
