/** What an endpoint of a ServiceMonitor and one of a PodMonitor have in common. */
import type { Field } from "../field/field.ts";
import { unlessEmpty, type ConfigMap } from "../model/config-value.ts";
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
import type { ScrapeClass } from "./scrape-class.ts";
import type { Scope } from "./scope.ts";
import type { Settings } from "./settings.ts";
import { timing } from "./timing.ts";

/** Whose labels and timestamps win, and for how long they count. */
export function honorConfig(endpoint: Field, scope: Scope, settings: Settings): ConfigMap {
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
export function requestConfig(endpoint: Field, scope: Scope, settings: Settings): ConfigMap {
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
  return unlessEmpty(Object.fromEntries(field.entries().map(([name, values]) => [name, values.texts()])));
}

export function readScheme(field: Field): string | undefined {
  return field.choice(["http", "https", "HTTP", "HTTPS"])?.toLowerCase();
}

const authForms = ["basicAuth", "authorization", "oauth2", "bearerTokenSecret", "bearerTokenFile"];

export interface CredentialOptions {
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
