import type { BenchmarkContext } from "../benchmark.ts";
import type { MeasuredProcess } from "../measure-process.ts";
import type { LoadOrder, LoadResult, TransferOrder } from "./load-order.ts";
import { Turns } from "./turns.ts";
import type { Way, Ways } from "./ways.ts";

/** Short and many: what else goes on in the machine is an outlier among them. */
const sliceMs = 600;
/** While the other ways had their turns, this one was idle: caches are cold, and V8 has given memory back. */
const leadInMs = 300;
const slicesPerRound = 2;
/** Of what takes seconds every time. */
const maxLongRounds = 2;

/** What all measurements of a run have in common. */
export interface Stage {
  readonly context: BenchmarkContext;
  readonly ways: Ways;
  readonly load: MeasuredProcess;
}

/** Requests of 1 KiB. */
export function takeRequests(
  { context, load }: Stage,
  ways: readonly Way[],
  connections: number,
): Promise<Turns<LoadResult>> {
  const { rounds, signal } = context;
  const hammer = ({ target }: Way, durationMs: number): Promise<LoadResult> =>
    load.ask<LoadResult>("load", { target, connections, durationMs } satisfies LoadOrder);
  return Turns.take(ways, {
    rounds: rounds * slicesPerRound,
    warmUps: 5,
    signal,
    prepare: (way) => hammer(way, leadInMs),
    measure: (way) => hammer(way, sliceMs),
  });
}

/** Megabytes per second of transfers of 100 MB. */
export function takeTransfers(
  { context, load }: Stage,
  ways: readonly Way[],
  transfer: Omit<TransferOrder, "target">,
): Promise<Turns<number>> {
  const { signal } = context;
  const isOne = transfer.atOnce === 1;
  return Turns.take(ways, {
    rounds: isOne ? context.rounds : Math.min(context.rounds, maxLongRounds),
    // Many at once come after one, and last long enough by themselves.
    warmUps: isOne ? 2 : 0,
    signal,
    measure: ({ target }) => load.ask<number>("transfer", { ...transfer, target } satisfies TransferOrder),
  });
}
