import type { LoadResult } from "./load-order.ts";
import { takeRequests, takeTransfers, type Stage } from "./stage.ts";
import type { Turns } from "./turns.ts";
import type { Backend, Way } from "./ways.ts";

/** The same backend over several ways. */
export interface NginxMeasurement {
  readonly ways: readonly string[];
  readonly one: Turns<LoadResult>;
  readonly some: Turns<LoadResult>;
  readonly many: Turns<LoadResult>;
  readonly down: Turns<number>;
  readonly tenDown: Turns<number>;
  readonly up: Turns<number>;
  readonly tenUp: Turns<number>;
}

/** Bowline's own way comes along, for who measures on. */
export interface MeasuredNginx {
  readonly measured: NginxMeasurement;
  readonly bowline: Way;
}

export async function measureNginx(stage: Stage, backend: Backend): Promise<MeasuredNginx> {
  const { ways, context } = stage;
  context.progress("one hop, kubectl proxy, and Bowline's server and agent start");
  const bowline = await ways.bowline(backend);
  const direct: Way = { name: "direct", target: backend.direct, pids: [] };
  const all = [direct, await ways.oneHop(backend), ...(await ways.kubectlProxy(backend)), bowline];
  const requests = (connections: number): Promise<Turns<LoadResult>> => {
    context.progress(`requests of 1 KiB, ${connections} at a time`);
    return takeRequests(stage, all, connections);
  };
  const transfers = (direction: "down" | "up", atOnce: number): Promise<Turns<number>> => {
    context.progress(`${direction === "down" ? "downloads" : "uploads"} of 100 MB, ${atOnce} at a time`);
    return takeTransfers(stage, all, { direction, atOnce });
  };
  const measured: NginxMeasurement = {
    ways: all.map(({ name }) => name),
    // In this order, the programs in between have run for a while when it comes to the one that is compared.
    one: await requests(1),
    many: await requests(256),
    some: await requests(32),
    down: await transfers("down", 1),
    up: await transfers("up", 1),
    tenDown: await transfers("down", 10),
    tenUp: await transfers("up", 10),
  };
  return { measured, bowline };
}
