import { readLabels } from "../check/label-name.ts";
import { readDuration, readHttpUrl, timing } from "../check/prometheus-values.ts";
import type { Scope } from "../check/scope.ts";
import type { Minimum } from "../model/collector-version.ts";
import { nonEmptyList, nonEmptyMap, type ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";
import { uncounted, type TargetQuery } from "../targets/target-query.ts";
import { credentialConfig, queryParams, readScheme } from "./endpoint.ts";
import { filePath, proxyConfig } from "./http-client.ts";
import { enforcedNamespaceRules, metricRules, type ScrapeJob } from "./job.ts";
import { kubernetesSdConfig } from "./kubernetes-discovery.ts";
import { jobLimits } from "./limits.ts";
import { protocolConfig } from "./protocols.ts";
import { relabelConfigs } from "./relabeling.ts";
import { addressShardRules, keepJobName, set } from "./rules.ts";
import { classOf } from "./scrape-class.ts";
import type { Settings } from "./settings.ts";

/** A ScrapeConfig becomes one job. */
export function scrapeConfigJobs(spec: Field, scope: Scope, settings: Settings): ScrapeJob[] {
  const { namespace, name } = scope.owner;
  const scrapeClass = classOf(spec, settings.scrapeClasses);
  const jobName = spec.get("jobName").word();
  checkDiscovery(spec);
  const found = discoveries(spec, scope, settings);
  const config: ConfigMap = {
    job_name: `scrapeConfig/${namespace}/${name}`,
    ...honor(spec, scope, settings),
    ...found,
    ...timing(spec.get("scrapeInterval"), spec.get("scrapeTimeout"), settings.scrapeInterval),
    metrics_path: spec.get("metricsPath").word(),
    params: queryParams(spec.get("params")),
    scheme: readScheme(spec.get("scheme")),
    ...proxyConfig(spec, scope),
    enable_compression: scope.since("2.49", spec.get("enableCompression"), (flag) => flag.flag()),
    enable_http2: scope.since("2.35", spec.get("enableHTTP2"), (flag) => flag.flag()),
    ...names(spec, scope),
    ...credentialConfig(spec, scope, { files: "denied", scrapeClass }),
    relabel_configs: [
      keepJobName,
      ...(jobName === undefined ? [] : [{ ...set("job", jobName), action: "replace" }]),
      ...(scrapeClass?.relabelings ?? []),
      ...relabelConfigs(spec.get("relabelings"), scope),
      ...enforcedNamespaceRules(settings, scope.owner),
      ...addressShardRules(settings.sharding, "__address__"),
    ],
    ...jobLimits(spec, scope, settings.enforcedLimits),
    ...protocolConfig(spec, scope, scrapeClass?.fallbackProtocol),
    metric_relabel_configs: metricRules(spec.get("metricRelabelings"), scope, { settings, scrapeClass }),
  };
  return [{ config, targets: listedTargets(spec, found) }];
}

/** Only those that it lists: others come from elsewhere, or are mostly sorted out by rules of its own. */
function listedTargets(spec: Field, { static_configs: _listed, ...others }: ConfigMap): TargetQuery {
  if (nonEmptyMap(others) !== undefined) return uncounted;
  const targets = spec
    .get("staticConfigs")
    .list()
    .flatMap((group) => {
      const labels = JSON.stringify(group.get("labels").textMap());
      return group
        .get("targets")
        .texts()
        .map((target) => `${target} ${labels}`);
    });
  return { from: "list", count: new Set(targets).size };
}

function honor(spec: Field, scope: Scope, settings: Settings): ConfigMap {
  const honorLabels = spec.get("honorLabels").flag();
  return {
    honor_labels: honorLabels === undefined ? undefined : honorLabels && !settings.overrideHonorLabels,
    honor_timestamps: settings.overrideHonorTimestamps ? false : spec.get("honorTimestamps").flag(),
    track_timestamps_staleness: scope.since("2.48", spec.get("trackTimestampsStaleness"), (flag) =>
      flag.flag(),
    ),
  };
}

const escapings = {
  AllowUTF8: "allow-utf-8",
  Underscores: "underscores",
  Dots: "dots",
  Values: "values",
} as const;

function names(spec: Field, scope: Scope): ConfigMap {
  const escaping = scope.since("3.4", spec.get("nameEscapingScheme"), (field) =>
    field.choice(["AllowUTF8", "Underscores", "Dots", "Values"]),
  );
  return {
    metric_name_validation_scheme: scope
      .since("3.0", spec.get("nameValidationScheme"), (field) => field.choice(["UTF8", "Legacy"]))
      ?.toLowerCase(),
    metric_name_escaping_scheme: escaping === undefined ? undefined : escapings[escaping],
  };
}

const supported = new Set([
  "staticConfigs",
  "httpSDConfigs",
  "kubernetesSDConfigs",
  "dnsSDConfigs",
  "fileSDConfigs",
]);

/** Leaving a discovery out would silently scrape less than was asked for. */
function checkDiscovery(spec: Field): void {
  for (const [key, field] of spec.entries()) {
    const isDiscovery = key.endsWith("SDConfigs") && field.list().length > 0;
    if (isDiscovery && !supported.has(key)) {
      field.reject(
        `${field.path} is a discovery that is not supported.`,
        `Use one of ${[...supported].join(", ")}, or put the job into the additional scrape configs.`,
      );
    }
  }
}

function discoveries(spec: Field, scope: Scope, settings: Settings): ConfigMap {
  return {
    static_configs: each(spec.get("staticConfigs"), (item) => ({
      targets: item.get("targets").texts(),
      labels: nonEmptyMap(readLabels(item.get("labels"), scope)),
    })),
    file_sd_configs: each(spec.get("fileSDConfigs"), (item) => fileDiscovery(item, settings)),
    http_sd_configs: each(spec.get("httpSDConfigs"), (item) => ({
      url: readHttpUrl(required(item.get("url"))),
      refresh_interval: readDuration(item.get("refreshInterval")),
      ...client(item, scope),
    })),
    kubernetes_sd_configs: each(spec.get("kubernetesSDConfigs"), (item) => ({
      ...kubernetesSdConfig(item, scope),
      ...client(item, scope),
    })),
    dns_sd_configs: each(spec.get("dnsSDConfigs"), (item) => dnsDiscovery(item, scope)),
  };
}

/** Prometheus refuses any other name of a file. */
const discoveryFile = /^[^*]*(?:\*[^/]*)?\.(?:json|yml|yaml|JSON|YML|YAML)$/u;

function fileDiscovery(item: Field, settings: Settings): ConfigMap {
  const files = required(item.get("files"))
    .list()
    .flatMap((file) => {
      const path = filePath(required(file), settings);
      if (path === undefined || discoveryFile.test(path)) return path ?? [];
      file.reject(
        `${file.path} is no file of JSON or YAML.`,
        "Name a file that ends in .json, .yml or .yaml.",
      );
      return [];
    });
  return { files, refresh_interval: readDuration(item.get("refreshInterval")) };
}

/** The field, after a problem if nothing is in it. */
function required(field: Field): Field {
  const { value } = field;
  if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) {
    field.reject(`${field.path} is missing.`, `Give ${field.path}.`);
  }
  return field;
}

/** The types of records that came later. */
const recordsSince: Readonly<Partial<Record<string, Minimum>>> = { MX: "2.38", NS: "2.49" };

function dnsDiscovery(item: Field, scope: Scope): ConfigMap {
  const type = item.get("type").choice(["A", "AAAA", "MX", "NS", "SRV"]);
  const minimum = recordsSince[type ?? ""] ?? "0.0";
  if (!scope.isAtLeast(minimum)) {
    item
      .get("type")
      .reject(
        `${item.path}.type is ${type}, which Prometheus ${scope.options.version.text} does not know.`,
        `Use Prometheus ${minimum} or newer, or another type.`,
      );
  }
  const port = item.get("port").count();
  if (type !== undefined && type !== "SRV" && (port ?? 0) === 0) {
    item.get("port").reject(`${item.path}.port is missing, and only SRV records have one.`, "Give the port.");
  }
  return {
    names: required(item.get("names")).texts(),
    refresh_interval: readDuration(item.get("refreshInterval")),
    type,
    port,
  };
}

function each(field: Field, read: (item: Field) => ConfigMap): readonly ConfigMap[] | undefined {
  return nonEmptyList(field.list().map(read));
}

function client(item: Field, scope: Scope): ConfigMap {
  return {
    ...credentialConfig(item, scope, { files: "denied", scrapeClass: undefined }),
    ...proxyConfig(item, scope),
    follow_redirects: scope.since("2.26", item.get("followRedirects"), (flag) => flag.flag()),
    enable_http2: scope.since("2.35", item.get("enableHTTP2"), (flag) => flag.flag()),
  };
}
