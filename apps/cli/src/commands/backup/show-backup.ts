import type { CommandContext } from "../../command/command-context.ts";
import { TableWriter } from "../../output/table-writer.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { toDocument } from "../../output/to-document.ts";

const loadServer = () => import("@bowline/server");

type Server = Awaited<ReturnType<typeof loadServer>>;
type BackupHeader = Awaited<ReturnType<Server["readBackupHeader"]>>;
type BackupTrailer = Awaited<ReturnType<Server["verifyBackupFile"]>>["trailer"];

export interface ShowBackupOptions {
  readonly output?: "json" | "yaml";
}

export async function showBackup(
  { terminal }: CommandContext,
  file: string,
  { output }: ShowBackupOptions,
): Promise<void> {
  const header = await (await loadServer()).readBackupHeader(file);
  terminal.out(output === undefined ? headerText(header) : await toDocument(header, output));
}

export async function verifyBackup({ terminal }: CommandContext, file: string): Promise<void> {
  const { header, trailer } = await (await loadServer()).verifyBackupFile(file);
  terminal.out(`${file} is whole: ${rowsText(trailer)}, as of ${printableLine(header.createdAt)}\n`);
  terminal.error(`${keysText(header)}\n`);
}

function headerText(header: BackupHeader): string {
  const rows = [
    ["Made at:", header.createdAt],
    ["By:", `Bowline ${header.version}`],
    ["Of:", header.engine === "sqlite" ? "SQLite" : "PostgreSQL"],
    ["Installation:", header.installation],
    ["Schema:", header.migrations.at(-1) ?? ""],
    ["Revision:", String(header.revision)],
    ["History:", header.history ? "yes" : "no"],
    ["Encryption keys:", header.encryptionKeys.length === 0 ? "<none>" : header.encryptionKeys.join(", ")],
  ];
  return new TableWriter([], { noHeaders: true }).rows(rows.map((row) => row.map(printableLine)));
}

/** `12 objects and 340 other rows` */
export function rowsText({ rows }: BackupTrailer): string {
  const objects = rows["objects"] ?? 0;
  const others = Object.values(rows).reduce((sum, count) => sum + count, 0) - objects;
  return `${objects} ${objects === 1 ? "object" : "objects"} and ${others} other ${others === 1 ? "row" : "rows"}`;
}

/** Said each time: whoever has no copy of the keys finds out too late. */
export function keysText({ encryptionKeys }: Pick<BackupHeader, "encryptionKeys">): string {
  const named = encryptionKeys.map(printableLine).join(", ");
  return encryptionKeys.length === 0
    ? "Nothing in it is encrypted."
    : `The encryption keys are not in it. Without ${encryptionKeys.length === 1 ? "the key" : "the keys"} ${named} it cannot be restored: keep a copy of encryption.keys in the data folder of the server, or of the file or Secret that --encryption-keys-file names, in another place than the backup.`;
}
