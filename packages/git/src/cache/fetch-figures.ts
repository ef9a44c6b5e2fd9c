import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { BowlineError } from "@bowline/core";

import type { GitRunner } from "../run/git-runner.ts";

/** One fetch from a server, whatever came of it. */
export interface FetchFigures {
  /** `fetched`, or the code of the error. */
  readonly result: string;
  /** Of the packs that came, also of one that was cut off. */
  readonly bytes: number;
  readonly durationMs: number;
}

export type OnFetch = (figures: FetchFigures) => void;

interface MeasuredRepository {
  readonly runner: Pick<GitRunner, "clock">;
  readonly repository: string;
  readonly onFetch?: OnFetch | undefined;
}

/** Everything that is fetched comes as a pack, so what the packs have grown by is what came. */
export async function measureFetch(
  { runner, repository, onFetch }: MeasuredRepository,
  fetch: () => Promise<void>,
): Promise<void> {
  if (onFetch === undefined) return fetch();
  const { clock } = runner;
  const before = await packBytes(repository);
  const began = clock.monotonicMs();
  const tell = async (result: string): Promise<void> => {
    const durationMs = clock.monotonicMs() - began;
    onFetch({ result, durationMs, bytes: Math.max(0, (await packBytes(repository)) - before) });
  };
  try {
    await fetch();
  } catch (thrown) {
    await tell(BowlineError.from(thrown).code);
    throw thrown;
  }
  await tell("fetched");
}

async function packBytes(repository: string): Promise<number> {
  const folder = join(repository, "objects", "pack");
  const names = await readdir(folder).catch(() => []);
  const packs = names.filter((name) => name.endsWith(".pack") || name.startsWith("tmp_pack_"));
  const sizes = await Promise.all(
    packs.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
