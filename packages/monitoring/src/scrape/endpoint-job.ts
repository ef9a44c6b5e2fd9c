import type { Field } from "../field/field.ts";
import type { ConfigMap } from "../model/config-value.ts";
import { credentialConfig, honorConfig, requestConfig } from "./endpoint.ts";
import type { FileAccess } from "./http-client.ts";
import { jobLimits } from "./limits.ts";
import { metricRules } from "./metric-rules.ts";
import { protocolConfig } from "./protocols.ts";
import { relabelConfigs } from "./relabeling.ts";
import type { ScrapeClass } from "./scrape-class.ts";
import type { Scope } from "./scope.ts";
import { enforcedNamespaceRules, type Settings } from "./settings.ts";

/** What tells the kinds of monitors with endpoints apart. */
export interface EndpointJob {
  readonly name: string;
  readonly spec: Field;
  readonly endpoint: Field;
  readonly scrapeClass: ScrapeClass | undefined;
  readonly discovery: readonly ConfigMap[];
  readonly targetRules: readonly ConfigMap[];
  readonly shardRules: readonly ConfigMap[];
  readonly files: FileAccess;
}

/** The job of one endpoint. Users' rules come after ours, so that they see our labels; what is enforced comes last. */
export function endpointJob(job: EndpointJob, scope: Scope, settings: Settings): ConfigMap {
  const { spec, endpoint, scrapeClass, files } = job;
  return {
    job_name: job.name,
    ...honorConfig(endpoint, scope, settings),
    kubernetes_sd_configs: job.discovery,
    ...requestConfig(endpoint, scope, settings),
    ...credentialConfig(endpoint, scope, { files, scrapeClass }),
    relabel_configs: [
      ...job.targetRules,
      ...(scrapeClass?.relabelings ?? []),
      ...relabelConfigs(endpoint.get("relabelings"), scope),
      ...enforcedNamespaceRules(settings, scope.owner),
      ...job.shardRules,
    ],
    ...jobLimits(spec, scope, settings.enforcedLimits),
    ...protocolConfig(spec, scope, scrapeClass?.fallbackProtocol),
    metric_relabel_configs: metricRules(endpoint.get("metricRelabelings"), scope, { settings, scrapeClass }),
  };
}
