import type { BenchmarkContext } from "../benchmark.ts";
import type { BowlineServer } from "./bowline-server.ts";
import type { Fleet } from "./fleet.ts";

export const agentCount = 2_000;

/** What every measurement needs. */
export interface Stage {
  readonly context: BenchmarkContext;
  readonly server: BowlineServer;
  readonly fleet: Fleet;
}
