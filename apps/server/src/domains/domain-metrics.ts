import type { Counter, Metrics } from "@bowline/core";

import type { SwitchReason } from "./decide-host.ts";

/** Metrics of records. One per registry. */
export class DomainMetrics {
  readonly #switches: Counter<"domain" | "reason">;

  constructor(metrics: Metrics) {
    this.#switches = metrics.counter({
      name: "bowline_domain_switches_total",
      help: "How often the records of a host were led to other clusters, by the DomainName and the reason.",
      labelNames: ["domain", "reason"],
    });
  }

  switched(domain: string, reason: SwitchReason): void {
    this.#switches.inc({ domain, reason });
  }
}
