import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reapOnExit } from "./reaper.ts";

export interface TempFolder extends AsyncDisposable {
  readonly path: string;
}

/** A private folder that is gone when it is disposed, and when this process ends in any other way. */
export async function createTempFolder(purpose: string): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), `bowline-${purpose}-`));
  const forget = reapOnExit({ kind: "path", path });
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
      forget();
    },
  };
}
