import { setTimeout as delay } from "node:timers/promises";

/** Resolves when a number has not changed for a while: whatever can move has moved. */
export async function stillness(read: () => number): Promise<void> {
  let before = Number.NaN;
  while (before !== read()) {
    before = read();
    await delay(100);
  }
}
