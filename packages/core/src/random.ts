/** Chance, as an argument: a number from 0 up to but not including 1. `Math.random` is one. */
export type Random = () => number;

/** Bytes nobody can guess. `randomBytes` of `node:crypto` is one. */
export type RandomBytes = (size: number) => Uint8Array;
