import type { LoadResult } from "./load-order.ts";
import { startReplicas } from "./replicas.ts";
import { takeRequests, takeTransfers, type Stage } from "./stage.ts";
import type { Turns } from "./turns.ts";
import type { Backend } from "./ways.ts";

/**
 * One and two servers on the way, `held` and `relayed`. There are never more: what was relayed is not relayed again.
 */
export interface ReplicasMeasurement {
  readonly one: Turns<LoadResult>;
  readonly some: Turns<LoadResult>;
  readonly down: Turns<number>;
  readonly up: Turns<number>;
}

export async function measureReplicas(stage: Stage, backend: Backend): Promise<ReplicasMeasurement> {
  const { progress, signal } = stage.context;
  progress("two replicas with PostgreSQL and NATS start");
  await using replicas = await startReplicas(backend, signal);
  const both = [replicas.held, replicas.relayed];
  progress("one and two servers on the way");
  return {
    some: await takeRequests(stage, both, 32),
    one: await takeRequests(stage, both, 1),
    down: await takeTransfers(stage, both, { direction: "down", atOnce: 1 }),
    up: await takeTransfers(stage, both, { direction: "up", atOnce: 1 }),
  };
}
