import { readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";

import type { Clock } from "@bowline/core";

import { folderBytes } from "./repository-folder.ts";
import type { Turns } from "./turns.ts";

interface Kept {
  bytes: number;
  usedAtMs: number;
}

/** Keeps the folders of a cache within a number of bytes: those go that were not used for the longest time. */
export class CacheSpace {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  #kept: Promise<Map<string, Kept>> | undefined;

  constructor(folder: string, maxBytes: number, clock: Clock) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /** Measures a folder that was used, and removes others where it became too much. Those in use stay. */
  async used(key: string, turns: Turns): Promise<void> {
    const kept = await this.#all();
    const now = this.#clock.now();
    kept.set(key, { bytes: await folderBytes(join(this.#folder, key)), usedAtMs: now });
    // The order must outlive this process.
    await utimes(join(this.#folder, key), now / 1_000, now / 1_000).catch(() => {});
    await this.#makeRoom(kept, key, turns);
  }

  async #makeRoom(kept: Map<string, Kept>, used: string, turns: Turns): Promise<void> {
    let total = [...kept.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    const oldestFirst = [...kept].toSorted(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
    for (const [key, { bytes }] of oldestFirst) {
      if (total <= this.#maxBytes) return;
      if (key === used || turns.isBusy(key)) continue;
      kept.delete(key);
      total -= bytes;
      // In a turn of its own, which begins at once: nobody may start to use what is being removed.
      await turns.take(key, undefined, () => rm(join(this.#folder, key), { recursive: true, force: true }));
    }
  }

  #all(): Promise<Map<string, Kept>> {
    this.#kept ??= this.#measureAll();
    return this.#kept;
  }

  async #measureAll(): Promise<Map<string, Kept>> {
    const keys = await readdir(this.#folder).catch(() => []);
    const kept = new Map<string, Kept>();
    for (const key of keys) {
      const path = join(this.#folder, key);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined) kept.set(key, { bytes: await folderBytes(path), usedAtMs: found.mtimeMs });
    }
    return kept;
  }
}
