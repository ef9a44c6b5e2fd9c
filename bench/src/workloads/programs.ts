import { fileURLToPath } from "node:url";

import { BundledProgram } from "../bundled-program.ts";

/** The programs as they are shipped, which is as one file; gone when disposed. */
export interface Programs extends AsyncDisposable {
  readonly server: string;
  readonly agent: string;
}

export async function bundlePrograms(): Promise<Programs> {
  const program = await BundledProgram.ofCommands();
  const path = fileURLToPath(program.url);
  return { server: path, agent: path, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}
