import { open } from "node:fs/promises";
import { BowlineError, codeOf, type Clock } from "@bowline/core";
import type { PemSource } from "./cluster-connection.ts";

/** Larger than any kubeconfig with hundreds of inline certificates. */
const maxFileBytes = 16 * 1024 * 1024;

/** Reads a small text file; `what` names it in the error, as in "the kubeconfig". */
export async function readTextFile(file: string, what: string): Promise<string> {
  let handle;
  try {
    handle = await open(file, "r");
    const stats = await handle.stat();
    if (!stats.isFile()) throw unreadable(file, what, "it is not a file");
    if (stats.size > maxFileBytes) throw unreadable(file, what, `it is larger than ${maxFileBytes} bytes`);
    return await handle.readFile("utf8");
  } catch (error) {
    if (error instanceof BowlineError) throw error;
    throw unreadable(file, what, reasonOf(error), error);
  } finally {
    await handle?.close();
  }
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return "it does not exist";
  if (code === "EACCES" || code === "EPERM") return "this user may not read it";
  if (code === "EISDIR") return "it is a directory";
  return error instanceof Error ? error.message : String(error);
}

function unreadable(file: string, what: string, why: string, cause?: unknown): BowlineError {
  return new BowlineError("KubeconfigUnreadable", `Cannot read ${what} ${file}: ${why}.`, {
    cause,
    details: { file },
  });
}

/** A rotated token lives on for minutes after its successor is written, so this is soon enough. */
const maxAgeMs = 10_000;

/**
 * A file that others replace while this program runs: a mounted ServiceAccount token, a certificate. It is read again
 * by age and not by time stamp, because a swapped symlink or a coarse clock can hide a change from `stat`.
 */
export class ReloadedFile {
  readonly #file: string;
  readonly #what: string;
  readonly #clock: Clock;
  #text: string | undefined;
  #readAtMs = 0;
  #reading: Promise<string> | undefined;

  constructor(file: string, what: string, clock: Clock) {
    this.#file = file;
    this.#what = what;
    this.#clock = clock;
  }

  async text(): Promise<string> {
    const isFresh = this.#clock.monotonicMs() - this.#readAtMs < maxAgeMs;
    return this.#text !== undefined && isFresh ? this.#text : this.reload();
  }

  /** Reads it now. A file that cannot be read for a moment keeps its last content. */
  async reload(): Promise<string> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<string> {
    try {
      this.#text = await readTextFile(this.#file, this.#what);
    } catch (error) {
      if (this.#text === undefined) throw error;
    }
    this.#readAtMs = this.#clock.monotonicMs();
    return this.#text;
  }
}

export async function readPem(source: PemSource | undefined, what: string): Promise<string | undefined> {
  if (source === undefined) return undefined;
  return "pem" in source ? source.pem : readTextFile(source.file, what);
}
