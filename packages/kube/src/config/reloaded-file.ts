import type { Clock } from "@bowline/core";
import { readTextFile } from "./read-text-file.ts";

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
