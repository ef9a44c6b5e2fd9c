import { fileURLToPath } from "node:url";

import { BundledProgram } from "../bundled-program.ts";

/** The files of the programs as they are shipped; gone when disposed. */
export interface Programs extends AsyncDisposable {
  readonly server: string;
  readonly agent: string;
}

export async function bundlePrograms(): Promise<Programs> {
  await using making = new AsyncDisposableStack();
  const server = making.use(await BundledProgram.ofCommands());
  const agent = making.use(await BundledProgram.ofAgent());
  const owned = making.move();
  return {
    server: fileURLToPath(server.url),
    agent: fileURLToPath(agent.url),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
