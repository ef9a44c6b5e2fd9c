import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { createTempFolder } from "@bowline/test-services";

import type { BenchmarkContext } from "../benchmark.ts";
import type { ShippedProgram } from "./shipped-program.ts";

const limitMs = 60_000;

/** `bowline up --local` of the executable until it has said that the server answers; undefined where it cannot. */
export async function measureLocal(
  { executable }: ShippedProgram,
  { progress }: BenchmarkContext,
): Promise<number | undefined> {
  const run = promisify(execFile);
  const { stdout: help } = await run(executable, ["help"]);
  if (!/^ {2}up /mu.test(help)) {
    progress("this version has no `bowline up`: left out");
    return undefined;
  }
  progress("bowline up --local");
  await using home = await createTempFolder("bench-home");
  const env = { ...process.env, HOME: home.path, XDG_DATA_HOME: home.path, XDG_CONFIG_HOME: home.path };
  const options = { env, timeout: limitMs };
  const startMs = performance.now();
  try {
    await run(executable, ["up", "--local", "--yes"], options);
    await run(executable, ["get", "clusters"], options);
    return (performance.now() - startMs) / 1000;
  } finally {
    await run(executable, ["down", "--yes"], options);
  }
}
