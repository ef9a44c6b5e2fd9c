import { readDuration, readHttpUrl } from "../check/prometheus-values.ts";
import type { Scope } from "../check/scope.ts";
import { nonEmptyList, nonEmptyMap, type ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";
import {
  authorization,
  basicAuth,
  checkOneAuth,
  oauth2,
  proxyConfig,
  tlsConfig,
} from "../scrape/http-client.ts";
import { relabelConfigs } from "../scrape/relabeling.ts";
import { azureAd, sigv4 } from "./cloud-auth.ts";

const authForms = [
  "basicAuth",
  "authorization",
  "oauth2",
  "bearerToken",
  "bearerTokenFile",
  "sigv4",
  "azureAd",
];
const messages = { "V1.0": "prometheus.WriteRequest", "V2.0": "io.prometheus.write.v2.Request" } as const;

/** One entry of `remote_write`. Administrators write these, so they may name files. */
export function remoteWriteConfig(field: Field, scope: Scope): ConfigMap {
  const url = field.get("url");
  if (url.word() === undefined) url.reject(`${url.path} is missing.`, "Give the address to write to.");
  checkOneAuth(field, authForms);
  const message = scope.since("2.54", field.get("messageVersion"), (version) =>
    version.choice(["V1.0", "V2.0"]),
  );
  return {
    url: readHttpUrl(url),
    remote_timeout: readDuration(field.get("remoteTimeout")),
    headers: scope.since("2.25", field.get("headers"), readHeaders),
    name: scope.since("2.15", field.get("name"), (name) => name.word()),
    protobuf_message: message === undefined ? undefined : messages[message],
    send_exemplars: scope.since("2.27", field.get("sendExemplars"), (flag) => flag.flag()),
    send_native_histograms: scope.since("2.40", field.get("sendNativeHistograms"), (flag) => flag.flag()),
    write_relabel_configs: nonEmptyList(relabelConfigs(field.get("writeRelabelConfigs"), scope)),
    ...credentials(field, scope),
    ...proxyConfig(field, scope),
    follow_redirects: scope.since("2.26", field.get("followRedirects"), (flag) => flag.flag()),
    enable_http2: scope.since("2.35", field.get("enableHTTP2"), (flag) => flag.flag()),
    queue_config: queueConfig(field.get("queueConfig"), scope),
    metadata_config: metadataConfig(field.get("metadataConfig"), scope, message === "V2.0"),
    round_robin_dns: scope.since("3.1", field.get("roundRobinDNS"), (flag) => flag.flag()),
  };
}

/** Headers that Prometheus sets itself. */
const reservedHeaders = new Set([
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "transfer-encoding",
  "user-agent",
  "www-authenticate",
  "x-prometheus-remote-write-version",
]);

function readHeaders(field: Field): ConfigMap | undefined {
  for (const [name, header] of field.entries()) {
    if (reservedHeaders.has(name.toLowerCase())) {
      header.reject(
        `${field.path} sets ${name}, which Prometheus sets itself.`,
        `Remove ${name}; credentials have fields of their own.`,
      );
    }
  }
  return nonEmptyMap(field.textMap());
}

function credentials(field: Field, scope: Scope): ConfigMap {
  return {
    basic_auth: basicAuth(field.get("basicAuth"), scope),
    bearer_token: field.get("bearerToken").word(),
    bearer_token_file: field.get("bearerTokenFile").word(),
    oauth2: oauth2(field.get("oauth2"), scope),
    tls_config: tlsConfig(field.get("tlsConfig"), scope, { files: "allowed" }),
    authorization: authorization(field.get("authorization"), scope),
    sigv4: sigv4(field.get("sigv4"), scope),
    azuread: azureAd(field.get("azureAd"), scope),
  };
}

function queueConfig(field: Field, scope: Scope): ConfigMap | undefined {
  return nonEmptyMap({
    capacity: positive(field.get("capacity")),
    min_shards: scope.since("2.6", field.get("minShards"), positive),
    max_shards: positive(field.get("maxShards")),
    max_samples_per_send: positive(field.get("maxSamplesPerSend")),
    batch_send_deadline: readDuration(field.get("batchSendDeadline")),
    max_retries: scope.isAtLeast("2.11") ? undefined : positive(field.get("maxRetries")),
    min_backoff: readDuration(field.get("minBackoff")),
    max_backoff: readDuration(field.get("maxBackoff")),
    retry_on_http_429: scope.since("2.26", field.get("retryOnRateLimit"), (flag) => flag.flag()),
    sample_age_limit: scope.since("2.50", field.get("sampleAgeLimit"), readDuration),
  });
}

/** 0 stands for "not given" in these fields. */
function positive(field: Field): number | undefined {
  const count = field.count();
  return count === 0 ? undefined : count;
}

/** The second version of the protocol carries metadata with the samples, so sending it apart is switched off. */
function metadataConfig(field: Field, scope: Scope, isInMessage: boolean): ConfigMap | undefined {
  if (isInMessage) return { send: false };
  return scope.since("2.23", field, () => ({
    send: field.get("send").flag() ?? false,
    send_interval: readDuration(field.get("sendInterval")),
    max_samples_per_send: scope.since("2.29", field.get("maxSamplesPerSend"), positive),
  }));
}
