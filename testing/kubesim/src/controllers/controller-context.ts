import type { Clock, Random } from "@bowline/core";

import type { Cluster } from "./cluster.ts";
import type { EventLog } from "./events/event-log.ts";
import type { WorkLoop } from "./loop/work-loop.ts";

/** What every controller is given. */
export interface ControllerContext {
  readonly cluster: Cluster;
  readonly loop: WorkLoop;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventLog;
  /** How long a node may be silent before it counts as lost. */
  readonly nodeGraceMs: number;
  /** How long pods stay on a lost node, unless they say otherwise. */
  readonly evictionMs: number;
}
