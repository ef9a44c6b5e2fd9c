import { BowlineError, isRecord } from "@bowline/core";

/**
 * A backup is lines of JSON, compressed by gzip: a header, then for each table a line with its columns and a line for
 * each row, then a trailer. Only a whole backup has a trailer, and only one that nobody changed has one that fits.
 */
export const backupFormat = "bowline-backup";
const formatVersion = 1;

/** Larger than any row can be, and small enough to be held in memory. */
export const maxLineBytes = 128 * 1_024 * 1_024;

/** The first line. It holds no secrets. */
export interface BackupHeader {
  readonly format: typeof backupFormat;
  readonly formatVersion: number;
  /** Of Bowline, which made it. */
  readonly version: string;
  /** Names of the migrations that its tables are made by, the oldest first. */
  readonly migrations: readonly string[];
  /** Names the installation, whichever database it has. */
  readonly installation: string;
  readonly engine: "sqlite" | "postgres";
  readonly createdAt: string;
  /** The number of the last change that is in it. */
  readonly revision: number;
  /** Whether the audit log and the events are in it. */
  readonly history: boolean;
  /** Ids of the keys that secrets in it are encrypted with. The keys themselves are not in it. */
  readonly encryptionKeys: readonly string[];
}

/** The last line. */
export interface BackupTrailer {
  readonly end: typeof backupFormat;
  /** By table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Of all that comes before it, in hex. */
  readonly sha256: string;
}

type ColumnType = "text" | "bigint";

/** Comes before the rows of a table. */
export interface BackupTable {
  readonly table: string;
  readonly columns: readonly (readonly [name: string, type: ColumnType])[];
}

export type Cell = string | number | null;

export function newHeader(facts: Omit<BackupHeader, "format" | "formatVersion">): BackupHeader {
  return { format: backupFormat, formatVersion, ...facts };
}

/** `BackupInvalid` for what is no header, or one of another version of the format. */
export function parseHeader(line: string): BackupHeader {
  const value = parseJson(line);
  if (!isRecord(value) || value["format"] !== backupFormat) throw invalid("This is no backup of Bowline.");
  if (value["formatVersion"] !== formatVersion) {
    throw invalid(
      `The backup has the format ${String(value["formatVersion"]).slice(0, 16)}, and this version of Bowline reads the format ${formatVersion}; use the version that made it.`,
    );
  }
  if (!isHeader(value)) throw invalid("The header of the backup lacks something; the file was changed.");
  return value;
}

function isHeader(
  value: Readonly<Record<string, unknown>>,
): value is Readonly<Record<string, unknown>> & BackupHeader {
  const { version, installation, engine, createdAt, revision, history, migrations, encryptionKeys } = value;
  return (
    [version, installation, createdAt].every((text) => typeof text === "string") &&
    !Number.isNaN(Date.parse(String(createdAt))) &&
    (engine === "sqlite" || engine === "postgres") &&
    Number.isSafeInteger(revision) &&
    typeof history === "boolean" &&
    areTexts(migrations) &&
    areTexts(encryptionKeys)
  );
}

export function parseTable(value: Readonly<Record<string, unknown>>): BackupTable {
  const { table, columns } = value;
  const isGood =
    typeof table === "string" && Array.isArray(columns) && columns.length > 0 && columns.every(isColumn);
  if (!isGood) throw damaged();
  return { table, columns };
}

/** Undefined for a line that is something else. */
export function parseTrailer(value: Readonly<Record<string, unknown>>): BackupTrailer | undefined {
  const { end, rows, sha256 } = value;
  if (end !== backupFormat) return undefined;
  if (!isRecord(rows) || !Object.values(rows).every(Number.isSafeInteger) || typeof sha256 !== "string") {
    throw damaged();
  }
  return {
    end,
    rows: Object.fromEntries(Object.entries(rows).map(([name, count]) => [name, Number(count)])),
    sha256,
  };
}

/** A row, whose cells have the types of their columns. */
export function parseRow(value: unknown, { columns }: BackupTable): Cell[] {
  if (!Array.isArray(value) || value.length !== columns.length) throw damaged();
  return columns.map(([, type], index) => cellOf(value[index], type));
}

function cellOf(value: unknown, type: ColumnType): Cell {
  if (value === null) return null;
  if (type === "text" && typeof value === "string") return value;
  if (type === "bigint" && typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw damaged();
}

export function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw damaged(error);
  }
}

export function damaged(cause?: unknown): BowlineError {
  return invalid("The backup is damaged: it was changed, or not copied whole. Use another one.", cause);
}

export function invalid(message: string, cause?: unknown): BowlineError {
  return new BowlineError("BackupInvalid", message, cause === undefined ? {} : { cause });
}

function isColumn(value: unknown): value is BackupTable["columns"][number] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [name, type] = value;
  return typeof name === "string" && /^[a-z_]{1,63}$/u.test(name) && (type === "text" || type === "bigint");
}

function areTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
