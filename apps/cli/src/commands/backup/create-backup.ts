import { existsSync } from "node:fs";

import { BowlineError, writeStream } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { sizeText } from "../../output/size-text.ts";
import { ProgressLine } from "../../output/progress-line.ts";
import { keysText, rowsText } from "./show-backup.ts";

export interface CreateBackupOptions {
  /** `false` for `--no-history`. */
  readonly history: boolean;
  readonly force: boolean;
}

/** Nobody sees the file before it is whole and has been read again. */
export async function createBackup(
  context: CommandContext,
  given: string | undefined,
  { history, force }: CreateBackupOptions,
): Promise<void> {
  const { terminal, clock, signal } = context;
  const file = given ?? `bowline-${timeName(clock.now())}.backup`;
  if (!force && existsSync(file)) throw isThere(file);
  const { verifyBackupFile } = await import("@bowline/server");
  const client = await context.client();
  let bytes = 0;
  let checked: Awaited<ReturnType<typeof verifyBackupFile>> | undefined;
  {
    using line = new ProgressLine(terminal);
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of await client.backup({ noHistory: !history }, { signal })) {
        bytes += chunk.length;
        line.show(`${file}: ${sizeText(bytes)}`);
        yield chunk;
      }
    };
    const isWritten = await writeStream(file, explained(counted(), signal), {
      replaces: force,
      check: async (temporary) => {
        line.show(`${file}: reading it again`);
        checked = await verifyBackupFile(temporary);
      },
    });
    if (!isWritten) throw isThere(file);
  }
  if (checked === undefined) return;
  const { header, trailer } = checked;
  terminal.out(`${file}: ${rowsText(trailer)}, ${sizeText(bytes)}, as of ${header.createdAt}\n`);
  terminal.error(`${keysText(header)}\n`);
}

/** The server cannot say what is wrong once it has begun to answer. */
async function* explained(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (error instanceof BowlineError) throw error;
    if (signal.aborted) throw new BowlineError("Cancelled", "Nothing was written.", { cause: error });
    throw new BowlineError(
      "ConnectionFailed",
      "The connection broke before the backup was complete, and nothing was written; try again. The server's log may say why.",
      { cause: error },
    );
  }
}

function isThere(file: string): BowlineError {
  return new BowlineError(
    "AlreadyExists",
    `There is a file ${file} already; choose another name, or replace it with --force.`,
  );
}

/** `20261118-160530` */
function timeName(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/gu, "").replace("T", "-");
}
