import { timing } from "../check/prometheus-values.ts";
import type { Scope } from "../check/scope.ts";
import { nonEmptyMap, type ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";
import {
  authorization,
  basicAuth,
  checkOneAuth,
  filePath,
  oauth2,
  proxyConfig,
  tlsConfig,
  type FileAccess,
} from "./http-client.ts";
import { enforcedNamespaceRules, metricRules } from "./job.ts";
import { jobLimits } from "./limits.ts";
import { protocolConfig } from "./protocols.ts";
import { relabelConfigs } from "./relabeling.ts";
import type { ScrapeClass } from "./scrape-class.ts";
import type { Settings } from "./settings.ts";

/** The parts of a job in which ServiceMonitors and PodMonitors differ. */
interface EndpointJob {
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

/** Precedence of labels and timestamps: those of the target or ours, and for how long they count. */
function honorConfig(endpoint: Field, scope: Scope, settings: Settings): ConfigMap {
  const honorLabels = endpoint.get("honorLabels").flag() ?? false;
  const honorTimestamps = endpoint.get("honorTimestamps").flag();
  const { overrideHonorLabels, overrideHonorTimestamps } = settings;
  return {
    honor_labels: honorLabels && !overrideHonorLabels,
    honor_timestamps: overrideHonorTimestamps ? false : honorTimestamps,
    track_timestamps_staleness: scope.since("2.48", endpoint.get("trackTimestampsStaleness"), (flag) =>
      flag.flag(),
    ),
  };
}

/** When and how an endpoint is scraped. */
function requestConfig(endpoint: Field, scope: Scope, settings: Settings): ConfigMap {
  return {
    ...timing(endpoint.get("interval"), endpoint.get("scrapeTimeout"), settings.scrapeInterval),
    metrics_path: endpoint.get("path").word(),
    params: queryParams(endpoint.get("params")),
    scheme: readScheme(endpoint.get("scheme")),
    ...proxyConfig(endpoint, scope),
    follow_redirects: scope.since("2.26", endpoint.get("followRedirects"), (flag) => flag.flag()),
    enable_http2: scope.since("2.35", endpoint.get("enableHttp2"), (flag) => flag.flag()),
  };
}

export function queryParams(field: Field): ConfigMap | undefined {
  return nonEmptyMap(Object.fromEntries(field.entries().map(([name, values]) => [name, values.texts()])));
}

export function readScheme(field: Field): string | undefined {
  return field.choice(["http", "https", "HTTP", "HTTPS"])?.toLowerCase();
}

const authForms = ["basicAuth", "authorization", "oauth2", "bearerTokenSecret", "bearerTokenFile"];

interface CredentialOptions {
  readonly files: FileAccess;
  readonly scrapeClass: ScrapeClass | undefined;
}

/** TLS and authentication; the scrape class fills in what the monitor leaves open. */
export function credentialConfig(field: Field, scope: Scope, options: CredentialOptions): ConfigMap {
  const { files, scrapeClass } = options;
  const ownAuth = checkOneAuth(field, authForms);
  return {
    tls_config: tlsConfig(field.get("tlsConfig"), scope, { files, defaults: scrapeClass?.tls }),
    bearer_token_file: filePath(field.get("bearerTokenFile"), { files }),
    bearer_token: scope.secret(field.get("bearerTokenSecret")),
    basic_auth: basicAuth(field.get("basicAuth"), scope),
    oauth2: oauth2(field.get("oauth2"), scope),
    authorization: ownAuth === undefined ? scrapeClass?.authorization : monitorAuthorization(field, scope),
  };
}

/** Unlike an administrator, a monitor cannot name a file with credentials. */
function monitorAuthorization(field: Field, scope: Scope): ConfigMap | undefined {
  const config = authorization(field.get("authorization"), scope);
  return config === undefined ? undefined : { ...config, credentials_file: undefined };
}
