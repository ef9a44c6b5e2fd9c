import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { requireNewFile, timeName, writeNewFile } from "../../output/new-file.ts";
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
  requireNewFile(file, { force });
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
    await writeNewFile(file, explained(counted(), signal), {
      force,
      check: async (temporary) => {
        line.show(`${file}: reading it again`);
        checked = await verifyBackupFile(temporary);
      },
    });
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
