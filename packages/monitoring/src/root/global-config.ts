import { readDuration } from "../check/prometheus-duration.ts";
import type { Field } from "../field/field.ts";
import type { ConfigMap } from "../model/config-value.ts";
import { globalLimits, type EnforcedLimits } from "../scrape/limits.ts";
import { readProtocols } from "../scrape/protocols.ts";
import type { Scope } from "../scrape/scope.ts";
import { checkTimeout } from "../scrape/timing.ts";

export type Mode = "server" | "agent";

export interface GlobalOptions {
  readonly mode: Mode;
  readonly scrapeInterval: string;
  readonly externalLabels: ConfigMap;
  readonly enforcedLimits: EnforcedLimits;
}

/** What holds for all jobs. A setting that Prometheus would refuse is reported and left out. */
export function globalConfig(spec: Field, scope: Scope, options: GlobalOptions): ConfigMap {
  const { mode, scrapeInterval } = options;
  const timeout = readDuration(spec.get("scrapeTimeout"));
  return {
    scrape_interval: scrapeInterval,
    scrape_timeout: checkTimeout(spec.get("scrapeTimeout"), timeout, scrapeInterval) ? timeout : undefined,
    external_labels: options.externalLabels,
    evaluation_interval: mode === "server" ? readDuration(spec.get("evaluationInterval")) : undefined,
    scrape_protocols: readProtocols(spec.get("scrapeProtocols"), scope),
    ...globalLimits(spec, scope, options.enforcedLimits),
    always_scrape_classic_histograms: scope.since("3.5", spec.get("scrapeClassicHistograms"), (flag) =>
      flag.flag(),
    ),
    convert_classic_histograms_to_nhcb: scope.since(
      "3.4",
      spec.get("convertClassicHistogramsToNHCB"),
      (flag) => flag.flag(),
    ),
    scrape_native_histograms: scope.since("3.8", spec.get("scrapeNativeHistograms"), (flag) => flag.flag()),
  };
}
