import type { Scope } from "../check/scope.ts";
import { nonEmptyList, type ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";
import type { ObjectRef } from "../model/kube-object.ts";
import type { TargetQuery } from "../targets/target-query.ts";
import { relabelConfigs } from "./relabeling.ts";
import { set } from "./rules.ts";
import type { ScrapeClass } from "./scrape-class.ts";
import type { Settings } from "./settings.ts";

/** One entry of `scrape_configs`, and what it will find. */
export interface ScrapeJob {
  readonly config: ConfigMap;
  /** Before the rules that the monitor brings along. */
  readonly targets: TargetQuery;
}

/** The same, and where it comes from. */
export interface Job extends ScrapeJob {
  readonly name: string;
  /** The monitor, or the object that named additional scrape configs. */
  readonly source: ObjectRef;
  /** The collector of it: the root, or one of its instances. */
  readonly by: ObjectRef;
}

interface MetricRuleContext {
  readonly settings: Settings;
  readonly scrapeClass: ScrapeClass | undefined;
}

/** The rules for what was scraped: a target could expose the enforced label itself, so it is enforced here again. */
export function metricRules(
  field: Field,
  scope: Scope,
  { settings, scrapeClass }: MetricRuleContext,
): readonly ConfigMap[] | undefined {
  return nonEmptyList([
    ...(scrapeClass?.metricRelabelings ?? []),
    ...relabelConfigs(field, scope),
    ...enforcedNamespaceRules(settings, scope.owner),
  ]);
}

/** The rule that nobody's own rules can undo, because it comes after them. */
export function enforcedNamespaceRules(settings: Settings, monitor: ObjectRef): ConfigMap[] {
  const { enforcedNamespaceLabel, exclusions } = settings;
  const resource = `${monitor.kind.toLowerCase()}s`;
  const isExcluded = exclusions.some(
    (exclusion) =>
      exclusion.resource === resource &&
      exclusion.namespace === monitor.namespace &&
      (exclusion.name === undefined || exclusion.name === monitor.name),
  );
  if (enforcedNamespaceLabel === undefined || isExcluded) return [];
  return [set(enforcedNamespaceLabel, monitor.namespace)];
}
