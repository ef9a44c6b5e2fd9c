import { getHeapStatistics, setFlagsFromString } from "node:v8";

import type { Clock } from "./clock.ts";

/** Thousands of agents may come back within seconds. */
const lookEveryMs = 1_000;

/**
 * Lets the heap of the process grow by so many bytes before the next full collection. By default V8 allows one that has
 * been idle a tenth of what is alive in it, and in a busy moment later that is a few megabytes: with the buffers of
 * sockets, which count too, it then collects everything several times a second, and what passes costs twice as much.
 * It knows only percentages, and of a heap that grows, the same number of bytes is ever less of them.
 *
 * Only a program calls this, first thing: it holds for the whole process. Returns how to stop looking.
 */
export function keepRoomForGarbage(roomBytes: number, clock: Clock): () => void {
  let cancel = (): void => {};
  const look = (): void => {
    setFlagsFromString(`--heap-growing-percent=${growthPercent(roomBytes)}`);
    cancel = clock.after(lookEveryMs, look);
  };
  look();
  return () => cancel();
}

/** No less than V8 allows by itself, and no more than doubles the heap. */
function growthPercent(roomBytes: number): number {
  const percent = Math.round((100 * roomBytes) / getHeapStatistics().used_heap_size);
  return Math.min(Math.max(10, percent), 100);
}
