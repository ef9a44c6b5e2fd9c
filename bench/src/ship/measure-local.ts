import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { createTempFolder, freePort } from "@bowline/test-services";

import type { BenchmarkContext } from "../benchmark.ts";
import type { ShippedProgram } from "./shipped-program.ts";

const limitMs = 60_000;

/** `bowline up` of the executable in an empty home, until `bowline get clusters` has answered. */
export async function measureLocal(
  { executable }: ShippedProgram,
  { progress }: BenchmarkContext,
): Promise<number> {
  progress("bowline up --local");
  await using home = await createTempFolder("bench-home");
  const env = { ...process.env, HOME: home.path, XDG_DATA_HOME: home.path, XDG_CONFIG_HOME: home.path };
  const listen = `127.0.0.1:${await freePort()}`;
  const bowline = (...args: string[]): Promise<unknown> =>
    promisify(execFile)(executable, args, { env, timeout: limitMs });
  const startMs = performance.now();
  try {
    await bowline("up", "--local", "--listen", listen);
    await bowline("get", "clusters");
    return (performance.now() - startMs) / 1000;
  } finally {
    await bowline("down", "--yes");
  }
}
