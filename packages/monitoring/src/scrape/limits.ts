import { readByteSize, smallerSize } from "../check/prometheus-values.ts";
import type { Scope } from "../check/scope.ts";
import type { Minimum } from "../model/collector-version.ts";
import type { ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";

/** The limits: their key in the configuration, their field in monitors, and the versions that know them. */
const limits: readonly { key: string; field: string; since: Minimum; globalSince: Minimum }[] = [
  { key: "sample_limit", field: "sampleLimit", since: "0.0", globalSince: "2.45" },
  { key: "target_limit", field: "targetLimit", since: "2.21", globalSince: "2.45" },
  { key: "label_limit", field: "labelLimit", since: "2.27", globalSince: "2.45" },
  { key: "label_name_length_limit", field: "labelNameLengthLimit", since: "2.27", globalSince: "2.45" },
  { key: "label_value_length_limit", field: "labelValueLengthLimit", since: "2.27", globalSince: "2.45" },
  { key: "keep_dropped_targets", field: "keepDroppedTargets", since: "2.47", globalSince: "2.47" },
];

/** Limits that an administrator sets, by the key in the configuration. */
export interface EnforcedLimits {
  readonly counts: Readonly<Record<string, number>>;
  readonly bodySize: string | undefined;
}

export function readEnforcedLimits(spec: Field): EnforcedLimits {
  const counts: Record<string, number> = {};
  for (const { key, field } of limits) {
    const limit = spec.get(enforcedName(field)).count();
    if (limit !== undefined && limit > 0) counts[key] = limit;
  }
  return { counts, bodySize: readByteSize(spec.get(enforcedName("bodySizeLimit"))) };
}

function enforcedName(field: string): string {
  return `enforced${field.charAt(0).toUpperCase()}${field.slice(1)}`;
}

/** The limits of a job: what the monitor asks for, cut to what is allowed. */
export function jobLimits(spec: Field, scope: Scope, enforced: EnforcedLimits): ConfigMap {
  const config: Record<string, number | string | undefined> = {};
  for (const { key, field, since } of limits) {
    const own = scope.since(since, spec.get(field), (limit) => limit.count());
    if (scope.isAtLeast(since)) config[key] = jobLimit(own, enforced.counts[key], scope);
  }
  const bodySize = scope.since("2.28", spec.get("bodySizeLimit"), readByteSize);
  if (scope.isAtLeast("2.28")) config["body_size_limit"] = smallerSize(bodySize, enforced.bodySize);
  return config;
}

function jobLimit(own: number | undefined, enforced: number | undefined, scope: Scope): number | undefined {
  if (enforced === undefined) return own === 0 ? undefined : own;
  // Newer versions have the limit in the global section, where it holds for every job without its own.
  if (own === undefined || own === 0) return scope.isAtLeast("2.45") ? undefined : enforced;
  return Math.min(own, enforced);
}

/** The limits of the global section: the root's own, cut to what is allowed. */
export function globalLimits(spec: Field, scope: Scope, enforced: EnforcedLimits): ConfigMap {
  const config: Record<string, number | string | undefined> = {};
  for (const { key, field, globalSince } of limits) {
    const own = scope.since(globalSince, spec.get(field), (limit) => limit.count());
    const most = enforced.counts[key];
    if (scope.isAtLeast(globalSince))
      config[key] = own === undefined || own === 0 ? most : Math.min(own, most ?? own);
  }
  const bodySize = scope.since("2.45", spec.get("bodySizeLimit"), readByteSize);
  if (scope.isAtLeast("2.45")) config["body_size_limit"] = smallerSize(bodySize, enforced.bodySize);
  return config;
}
