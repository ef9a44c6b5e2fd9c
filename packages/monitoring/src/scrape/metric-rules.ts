import type { Field } from "../field/field.ts";
import { unlessNone, type ConfigMap } from "../model/config-value.ts";
import { relabelConfigs } from "./relabeling.ts";
import type { ScrapeClass } from "./scrape-class.ts";
import type { Scope } from "./scope.ts";
import { enforcedNamespaceRules, type Settings } from "./settings.ts";

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
  return unlessNone([
    ...(scrapeClass?.metricRelabelings ?? []),
    ...relabelConfigs(field, scope),
    ...enforcedNamespaceRules(settings, scope.owner),
  ]);
}
