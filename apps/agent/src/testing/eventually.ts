import { setTimeout as delay } from "node:timers/promises";

/** Waits for what no event tells; the test's own time limit ends it. */
export async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(2);
}

/** Resolves when a number has not changed for a while: whatever can move has moved. */
export async function stillness(read: () => number): Promise<void> {
  let before = Number.NaN;
  while (before !== read()) {
    before = read();
    await delay(100);
  }
}
