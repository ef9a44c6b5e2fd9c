import { DomainName } from "@bowline/api";
import type { Metrics } from "@bowline/core";

import { objectController, type ObjectController } from "../controllers/object-controller.ts";
import type { OutsideTools } from "../gateways/judge-outside.ts";
import { DomainMetrics } from "./domain-metrics.ts";
import { DomainReconciler } from "./domain-reconciler.ts";
import { domainWatches } from "./domain-watches.ts";
import type { OpenZone } from "./write-records.ts";

export interface DomainTools {
  readonly outside: OutsideTools;
  readonly openZone: OpenZone;
  readonly metrics: Metrics;
}

/** A name server that does not answer is waited for once in each round. */
const timeLimitMs = 5 * 60_000;

export function domainController({ outside, openZone, metrics }: DomainTools): ObjectController {
  return objectController({
    kind: DomainName,
    watches: domainWatches,
    timeLimitMs,
    reconciler: ({ store, clock, random }) =>
      new DomainReconciler({ store, outside, openZone, metrics: new DomainMetrics(metrics), clock, random }),
  });
}
