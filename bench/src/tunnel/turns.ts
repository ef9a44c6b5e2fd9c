import { median } from "../median.ts";
import { cpuSeconds } from "./cpu-seconds.ts";
import type { Way } from "./ways.ts";

/** What was measured on a way, and the CPU time of the processes in between. */
export interface Measured<T> {
  readonly value: T;
  readonly cpuSeconds: number;
}

/** What all ways were measured at, one right after the other. */
type Turn<T> = ReadonlyMap<string, Measured<T>>;

export interface TurnsOptions<T> {
  readonly rounds: number;
  readonly signal: AbortSignal;
  /** Right before each measurement, and not part of it. */
  readonly prepare?: (way: Way) => Promise<unknown>;
  readonly measure: (way: Way) => Promise<T>;
  /** Not counted: code that has just been loaded is slow, and these processes are meant to run for weeks. */
  readonly warmUps: number;
}

/**
 * The same measurement of several ways in turns. What else the machine does hits all ways of a turn alike, so they are
 * compared within their turn.
 */
export class Turns<T> {
  readonly #turns: readonly Turn<T>[];

  static async take<T>(ways: readonly Way[], options: TurnsOptions<T>): Promise<Turns<T>> {
    const { rounds, signal, prepare, measure, warmUps } = options;
    const turns: Turn<T>[] = [];
    for (let round = -warmUps; round < rounds; round++) {
      const turn = new Map<string, Measured<T>>();
      for (const way of ways) {
        signal.throwIfAborted();
        await prepare?.(way);
        turn.set(way.name, await withCpu(way, measure));
      }
      if (round >= 0) turns.push(turn);
    }
    return new Turns(turns);
  }

  constructor(turns: readonly Turn<T>[]) {
    this.#turns = turns;
  }

  /** NaN when the way was not among them. */
  median(way: string, pick: (measured: Measured<T>) => number): number {
    return median(this.#turns.map((turn) => pickFrom(turn.get(way), pick)));
  }

  ratio(way: string, other: string, pick: (measured: Measured<T>) => number): number {
    return median(this.#turns.map((turn) => pickFrom(turn.get(way), pick) / pickFrom(turn.get(other), pick)));
  }
}

function pickFrom<T>(measured: Measured<T> | undefined, pick: (measured: Measured<T>) => number): number {
  return measured === undefined ? Number.NaN : pick(measured);
}

async function withCpu<T>(way: Way, measure: (way: Way) => Promise<T>): Promise<Measured<T>> {
  const before = await cpuSeconds(way.pids);
  const value = await measure(way);
  return { value, cpuSeconds: (await cpuSeconds(way.pids)) - before };
}
