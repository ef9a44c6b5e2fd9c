import { parseQuantity } from "@bowline/core";

import type { Scope } from "../check/scope.ts";
import { scrapeProtocols } from "../model/collector-version.ts";
import { nonEmptyList, type ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";

/** In which formats metrics are asked for, and what becomes of histograms. */
export function protocolConfig(spec: Field, scope: Scope, fallback: string | undefined): ConfigMap {
  const ownFallback = scope.since("3.0", spec.get("fallbackScrapeProtocol"), (protocol) =>
    protocol.choice(scrapeProtocols),
  );
  return {
    scrape_protocols: readProtocols(spec.get("scrapeProtocols"), scope),
    fallback_scrape_protocol: ownFallback ?? (scope.isAtLeast("3.0") ? fallback : undefined),
    native_histogram_bucket_limit: scope.since("2.45", spec.get("nativeHistogramBucketLimit"), (limit) =>
      limit.count(),
    ),
    native_histogram_min_bucket_factor: scope.since(
      "2.50",
      spec.get("nativeHistogramMinBucketFactor"),
      readFactor,
    ),
    ...classicHistograms(spec.get("scrapeClassicHistograms"), scope),
    convert_classic_histograms_to_nhcb: scope.since(
      "3.0",
      spec.get("convertClassicHistogramsToNHCB"),
      (flag) => flag.flag(),
    ),
    scrape_native_histograms: scope.since("3.8", spec.get("scrapeNativeHistograms"), (flag) => flag.flag()),
  };
}

/** Prometheus refuses a protocol that is listed twice or that it does not know. */
export function readProtocols(field: Field, scope: Scope): readonly string[] | undefined {
  const listed = scope.since("2.49", field, (list) =>
    list.list().flatMap((item) => item.choice(scrapeProtocols) ?? []),
  );
  const known = listed?.filter((protocol) => protocol !== "PrometheusText1.0.0" || scope.isAtLeast("3.0"));
  return nonEmptyList([...new Set(known)]);
}

/** Version 3 gave the field another name. */
function classicHistograms(field: Field, scope: Scope): ConfigMap {
  const key = scope.isAtLeast("3.0") ? "always_scrape_classic_histograms" : "scrape_classic_histograms";
  return { [key]: scope.since("2.45", field, (flag) => flag.flag()) };
}

function readFactor(field: Field): number | undefined {
  const factor = parseQuantity(field.value);
  if (factor === undefined) field.reject(`${field.path} is no number.`, 'Write a number such as "1.1".');
  return factor;
}
