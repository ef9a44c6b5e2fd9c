/** The order of rows that is shown, and how it differs from the one that the data has by now. */
export interface HeldOrder {
  readonly keys: readonly string[];
  readonly come: number;
  readonly gone: number;
  readonly moved: number;
}

/**
 * A list must not jump under somebody who reads it: what is shown keeps its order, what is gone stays until the reader
 * looks away or asks for the rest, and what has come waits.
 */
export function heldOrder(shown: readonly string[], wanted: readonly string[]): HeldOrder {
  if (shown === wanted) return { keys: shown, come: 0, gone: 0, moved: 0 };
  const wantedSet = new Set(wanted);
  const shownSet = new Set(shown);
  const come = wanted.filter((key) => !shownSet.has(key)).length;
  const gone = shown.filter((key) => !wantedSet.has(key)).length;
  const before = shown.filter((key) => wantedSet.has(key));
  const after = wanted.filter((key) => shownSet.has(key));
  const moved = before.filter((key, index) => key !== after[index]).length;
  return { keys: shown, come, gone, moved };
}

export function isSettled({ come, gone, moved }: HeldOrder): boolean {
  return come === 0 && gone === 0 && moved === 0;
}
