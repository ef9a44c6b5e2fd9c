import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import type { Clock } from "@bowline/core";

/**
 * Every flag of V8 that is set, and the only place that sets one. Flags hold for the whole process: a program sets them
 * when the process is its own, first thing, by `tuneHeap`.
 */
export const v8Flags = {
  /**
   * Keeps the heap's space for new objects at the size it starts with. By default V8 lets it grow to tens of megabytes,
   * and what dies young, socket buffers included, is held until it is full: for a process that mostly reads streams and
   * keeps little of them that is half its memory. The price is more, but smaller, collections.
   *
   * Set by the agent, the operator, and the commands of `bowline metrics` that read a whole cluster.
   */
  smallYoungGeneration: "--semi-space-growth-factor=1",

  /**
   * Lets every object begin in the young generation. By default V8 lets code allocate in the old one once most of what
   * it makes there has lived long, and a busy moment of a program that passes requests on is enough for that: many are
   * under way at once. It is not taken back when they are few again, and from then on each request leaves an old object
   * behind, which keeps everything it points to until the next full collection, and makes that come soon.
   *
   * Set by the server and the agent.
   */
  allocateYoung: "--no-allocation-site-pretenuring",

  /**
   * Keeps compiled code through idle moments. When a process has been idle for eight seconds, V8 collects in a way that
   * gives back all memory it can. That includes the shapes of objects of which none is alive just then, such as
   * requests, and with them the code that was compiled for those. Hundreds of functions are then interpreted again, and
   * for seconds each request takes up to half as long again. With this, the same collections leave those shapes alone;
   * what a busy moment added to the young generation stays with the process too.
   *
   * Set by the server and the agent.
   */
  keepOptimizedCode: "--no-memory-reducer-favors-memory",

  /**
   * Lets the heap grow by so much of its size before the next full collection. By default V8 allows one that has been
   * idle a tenth of what is alive in it, and in a busy moment later that is a few megabytes: with the buffers of
   * sockets, which count too, it then collects everything several times a second, and what passes costs twice as much.
   *
   * Set by the server and the agent, again and again: V8 knows only percentages, and of a heap that grows, the same
   * number of bytes is ever less of them.
   */
  roomForGarbage: "--heap-growing-percent",

  /**
   * Makes `gc` available, for a process that passes streams through. The buffers of sockets die young, but V8 counts
   * their bytes against the old generation, and so runs a full collection for every ten megabytes that pass: half the
   * CPU time of a download. Collecting the young generation now and then frees the same buffers for a tenth of that, and
   * less memory is held.
   *
   * Set by the server and the agent.
   */
  collectOnDemand: "--expose-gc",
} as const;

/** How the heap of a program is looked after. */
export interface HeapTuning {
  /** For a program that mostly reads streams and keeps little of them. */
  readonly smallYoungGeneration?: boolean;
  /** For a program that passes requests and streams on. */
  readonly passesRequests?: {
    readonly roomForGarbageBytes: number;
    /** The young generation is collected each time so many bytes have passed. */
    readonly collectEveryBytes: number;
  };
}

export interface TunedHeap {
  /** To be told of the bytes that pass; undefined where that is of no interest. */
  readonly bytesPassed: ((count: number) => void) | undefined;
  /** Stops looking at the heap; flags stay as they are. */
  readonly stop: () => void;
}

/** Thousands of agents may come back within seconds. */
const lookEveryMs = 1_000;

/** Only a program calls this, first thing: it holds for the whole process. */
export function tuneHeap(tuning: HeapTuning, clock: Clock): TunedHeap {
  const { smallYoungGeneration = false, passesRequests } = tuning;
  if (smallYoungGeneration) keepYoungGenerationSmall();
  if (passesRequests === undefined) return { bytesPassed: undefined, stop: () => {} };
  setFlagsFromString(v8Flags.allocateYoung);
  setFlagsFromString(v8Flags.keepOptimizedCode);
  return {
    bytesPassed: youngCollector(passesRequests.collectEveryBytes),
    stop: keepRoomForGarbage(passesRequests.roomForGarbageBytes, clock),
  };
}

/** For a process that is no program, such as a command that reads a whole cluster. */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString(v8Flags.smallYoungGeneration);
}

/** Returns how to stop looking. */
function keepRoomForGarbage(roomBytes: number, clock: Clock): () => void {
  let cancel = (): void => {};
  const look = (): void => {
    setFlagsFromString(`${v8Flags.roomForGarbage}=${growthPercent(roomBytes)}`);
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

/** Returns what is to be told how many bytes have passed. */
function youngCollector(everyBytes: number): (passedBytes: number) => void {
  setFlagsFromString(v8Flags.collectOnDemand);
  const collect: (options: { type: "minor" }) => void = runInNewContext("gc");
  let passed = 0;
  return (passedBytes) => {
    passed += passedBytes;
    if (passed < everyBytes) return;
    passed = 0;
    collect({ type: "minor" });
  };
}
