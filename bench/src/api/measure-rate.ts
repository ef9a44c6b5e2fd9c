import type { LoadTarget } from "./measured-server.ts";
import type { CreateOrder, GetOrder, ListOrder, LoadMeasurement, LoadOrder } from "./measurement.ts";
import type { Stage } from "./stage.ts";

/** How much of something a server can do. */
export interface Rate {
  readonly requests: number;
  readonly perSecond: number;
  /** Of the server's process alone, for each. */
  readonly cpuMicros: number;
}

interface Orders {
  readonly create: CreateOrder;
  readonly get: GetOrder;
  readonly list: ListOrder;
}

/** So many that the server always has the next request; more make neither side faster. */
const connections = 64;

/** Has a load process work on a target, and tells what that could do. */
export async function measureRate<C extends keyof Orders>(
  { load }: Stage,
  target: LoadTarget,
  command: C,
  order: Omit<Orders[C], Exclude<keyof LoadOrder, "durationMs">>,
): Promise<Rate> {
  const { port, token } = target;
  const before = await target.use();
  const measured = await load.ask<LoadMeasurement>(command, {
    ...order,
    port,
    token,
    connections,
  });
  const { cpuMs } = await target.use();
  return {
    requests: measured.requests,
    perSecond: (measured.requests * 1000) / measured.elapsedMs,
    cpuMicros: ((cpuMs - before.cpuMs) * 1000) / measured.requests,
  };
}
