import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import type { Clock } from "@bowline/core";

import { StartWatch } from "./start-watch.ts";

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
   * Lets the space for new objects double when much of it lives on, as V8 does by default, up to 128 MB: a server that
   * reads the graph of a cluster once has them from then on. For a program that needs more than the smallest, the two
   * are set in turns, after each collection, so that it grows up to a limit.
   *
   * Set by the server.
   */
  growingYoungGeneration: "--semi-space-growth-factor=2",

  /**
   * Leaves WebAssembly as it was compiled first, and fast. The one that is there parses HTTP, a state machine in a
   * single function, which V8 would compile anew after some requests: that takes 16 MB for a second, and what the
   * allocator got for it stays with the process, 8 MB of an agent. It takes both: without the second, everything would
   * be compiled anew at once. What is parsed are headers; no difference showed in the CPU time of 10,000 pods read.
   *
   * Set by the agent and the operator.
   */
  keepFirstWasm: "--no-wasm-tier-up",
  keepFirstWasmLater: "--no-wasm-dynamic-tiering",

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

  /**
   * Leaves code to the interpreter. A program that was just started, and is then idle, runs hardly anything often, but
   * V8 compiles some hundred functions of its start all the same: the pages of three compilers, 8 MB of Node's own text,
   * and what they leave behind, 3 to 9 MB, stay with the process. They are let in when it has work to do.
   *
   * Set by the server and the agent, before their code is loaded, and taken back by `tuneHeap` when they are busy.
   */
  withoutTurbofan: "--no-opt",
  withoutMaglev: "--no-maglev",
  withoutSparkplug: "--no-sparkplug",
  withTurbofan: "--opt",
  withMaglev: "--maglev",
  withSparkplug: "--sparkplug",

  /**
   * Compiles every function at once, and gives nothing a number by chance, so that the same text makes the same code;
   * and the defaults of these. By default V8 compiles a function when it runs for the first time.
   *
   * Set while a program is compiled that is shipped with its code.
   */
  compileAll: "--no-lazy",
  sameHashes: "--hash-seed=1",
  sameNumbers: "--random-seed=1",
  compileLazily: "--lazy",
  anyHashes: "--hash-seed=0",
  anyNumbers: "--random-seed=0",
} as const;

/** How the memory of a program is looked after. */
export interface HeapTuning {
  /** For a program that mostly reads streams and keeps little of them: its young generation and its code stay small. */
  readonly readsStreams?: boolean;
  /** For a program that makes much at times: its young generation, of two halves, does not grow beyond this. */
  readonly maxYoungBytes?: number;
  /** For a program that passes requests and streams on. */
  readonly passesRequests?: PassingTuning;
}

interface PassingTuning {
  readonly roomForGarbageBytes: number;
  /**
   * While streams pass, the buffers of which are garbage at once; as much as else when not given. V8 takes it at its
   * next full collection, and takes it back at the one after the streams.
   */
  readonly roomForStreamsBytes?: number;
  /** The young generation is collected each time so many bytes have passed. */
  readonly collectEveryBytes: number;
}

export interface TunedHeap {
  /** To be told of the bytes that pass; undefined where that is of no interest. */
  readonly bytesPassed: ((count: number) => void) | undefined;
  /** Stops looking at the heap; flags stay as they are. */
  readonly stop: () => void;
}

/** Thousands of agents may come back within seconds. */
const lookEveryMs = 1_000;

/**
 * For a process that will run a server or an agent, before their code is loaded: they begin in the interpreter, and
 * `tuneHeap` lets the compilers in.
 */
export function startInterpreted(): void {
  setFlagsFromString(v8Flags.withoutTurbofan);
  setFlagsFromString(v8Flags.withoutMaglev);
  setFlagsFromString(v8Flags.withoutSparkplug);
}

/** For a process that compiles a program, when it is started. */
export const compileEverything: readonly string[] = [
  v8Flags.compileAll,
  v8Flags.sameHashes,
  v8Flags.sameNumbers,
];

/** Takes back `compileEverything`. */
export function compileWhatRuns(): void {
  for (const flag of [v8Flags.compileLazily, v8Flags.anyHashes, v8Flags.anyNumbers]) setFlagsFromString(flag);
}

/** Only a program calls this, first thing: it holds for the whole process. */
export function tuneHeap(tuning: HeapTuning, clock: Clock): TunedHeap {
  const { readsStreams = false, maxYoungBytes, passesRequests } = tuning;
  if (readsStreams) {
    keepYoungGenerationSmall();
    setFlagsFromString(v8Flags.keepFirstWasm);
    setFlagsFromString(v8Flags.keepFirstWasmLater);
  }
  const stopBounding = maxYoungBytes === undefined ? () => {} : boundYoungGeneration(maxYoungBytes);
  if (passesRequests === undefined) return { bytesPassed: undefined, stop: stopBounding };
  setFlagsFromString(v8Flags.allocateYoung);
  setFlagsFromString(v8Flags.keepOptimizedCode);
  const passing = tunePassing(passesRequests, clock);
  return {
    ...passing,
    stop: () => {
      stopBounding();
      passing.stop();
    },
  };
}

/** For a process that is no program, such as a command that reads a whole cluster. */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString(v8Flags.smallYoungGeneration);
}

/**
 * V8 takes a limit of the young generation only before it starts, and doubles it during a collection. It is told after
 * each one whether it may do so in the next. Returns how to stop looking.
 */
function boundYoungGeneration(maxBytes: number): () => void {
  const look = (): void => {
    const mayDouble = youngBytes() * 2 <= maxBytes;
    setFlagsFromString(mayDouble ? v8Flags.growingYoungGeneration : v8Flags.smallYoungGeneration);
  };
  look();
  const observer = new PerformanceObserver(look);
  observer.observe({ type: "gc" });
  return () => observer.disconnect();
}

/** Both halves. One of them is in use; the other is of the same size, and not always there. */
function youngBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  return space === undefined ? 0 : 2 * (space.space_used_size + space.space_available_size);
}

function tunePassing(tuning: PassingTuning, clock: Clock): TunedHeap {
  const { roomForGarbageBytes, roomForStreamsBytes = roomForGarbageBytes, collectEveryBytes } = tuning;
  const collect = collector();
  const start = new StartWatch({ onBusy: letCompilersIn, onIdle: () => giveBack(collect) });
  /** Since the heap was looked at last. */
  let hasCollected = false;
  let passed = 0;
  let cancel = (): void => {};
  const look = (): void => {
    leaveRoom(hasCollected ? roomForStreamsBytes : roomForGarbageBytes);
    hasCollected = false;
    start.look(process.cpuUsage());
    cancel = clock.after(lookEveryMs, look);
  };
  const bytesPassed = (count: number): void => {
    passed += count;
    if (passed < collectEveryBytes) return;
    passed = 0;
    // A download of a hundred megabytes is over before the next look.
    if (!hasCollected) leaveRoom(roomForStreamsBytes);
    hasCollected = true;
    collect({ type: "minor" });
  };
  look();
  return { bytesPassed, stop: () => cancel() };
}

function leaveRoom(roomBytes: number): void {
  setFlagsFromString(`${v8Flags.roomForGarbage}=${growthPercent(roomBytes)}`);
}

/** No less than V8 allows by itself, and no more than doubles the heap. */
function growthPercent(roomBytes: number): number {
  const percent = Math.round((100 * roomBytes) / getHeapStatistics().used_heap_size);
  return Math.min(Math.max(10, percent), 100);
}

function letCompilersIn(): void {
  setFlagsFromString(v8Flags.withTurbofan);
  setFlagsFromString(v8Flags.withMaglev);
  setFlagsFromString(v8Flags.withSparkplug);
}

/** A collection of a heap of that size takes a tenth of a second; what a larger one would give back is little of it. */
const giveBackLimitBytes = 64 * 1024 * 1024;

/**
 * Gives back what only the start needed: pages of the heap that are kept for more of the same, code that ran once. 19 MB
 * of a server that had 70 of its own, 8 MB of an agent that had 43. It happens before anything was compiled, which it
 * would cost.
 *
 * It happens a few times: what ran once is given back when several collections have not seen it run again.
 */
function giveBack(collect: Collect): void {
  if (getHeapStatistics().used_heap_size > giveBackLimitBytes) return;
  collect({ type: "major", flavor: "last-resort" });
}

type Collect = (options: {
  readonly type: "minor" | "major";
  readonly flavor?: "regular" | "last-resort";
}) => void;

function collector(): Collect {
  setFlagsFromString(v8Flags.collectOnDemand);
  return runInNewContext("gc");
}
