#!/usr/bin/env node
import { enableCompileCache } from "node:module";

const [, , command = ""] = process.argv;
// Before anything else is loaded. A server and an agent start seldom, most often where nothing is left of the start
// before, and what Node keeps of the cache is 2 MB of an agent. All others are started often, and then take half as long.
if (/^(?:server|agent)$/u.test(command)) {
  const { startInterpreted } = await import("@bowline/program/v8-flags");
  startInterpreted();
} else {
  enableCompileCache();
}

process.exitCode = await exitCode();

async function exitCode(): Promise<number> {
  if (command === "agent") {
    const { runCompiledProgram } = await import("@bowline/program/compiled-program");
    const compiled = await runCompiledProgram(command);
    if (compiled !== undefined) return Number(await compiled["exitCode"]);
  }
  const { runProcess } = await import("./run-process.ts");
  const { allCommands } = await import("./commands/command-list.ts");
  return runProcess(process, allCommands);
}
