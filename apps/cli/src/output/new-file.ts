import { existsSync } from "node:fs";

import { BowlineError, writeStream } from "@bowline/core";

interface NewFileOptions {
  /** Whether a file that is there may be replaced. */
  readonly force: boolean;
  /** Looks at the file before anybody else sees it. */
  readonly check?: (temporaryFile: string) => Promise<void>;
}

/** To be asked before the work that ends in the file. */
export function requireNewFile(file: string, { force }: NewFileOptions): void {
  if (!force && existsSync(file)) throw isThere(file);
}

/** Nobody sees the file before it is whole. */
export async function writeNewFile(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  { force, check }: NewFileOptions,
): Promise<void> {
  const isWritten = await writeStream(file, chunks, {
    replaces: force,
    ...(check === undefined ? {} : { check }),
  });
  if (!isWritten) throw isThere(file);
}

/** `20261118-160530` */
export function timeName(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/gu, "").replace("T", "-");
}

function isThere(file: string): BowlineError {
  return new BowlineError(
    "AlreadyExists",
    `There is a file ${file} already; choose another name, or replace it with --force.`,
  );
}
