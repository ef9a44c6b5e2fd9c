import { readLabels } from "../check/label-name.ts";
import { readLabelSelector } from "../check/label-selector.ts";
import { timing } from "../check/prometheus-values.ts";
import type { Scope } from "../check/scope.ts";
import { nonEmptyMap, type ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";
import { uncounted, type TargetQuery } from "../targets/target-query.ts";
import { credentialConfig, readScheme } from "./endpoint.ts";
import { proxyConfig } from "./http-client.ts";
import { enforcedNamespaceRules, metricRules, type ScrapeJob } from "./job.ts";
import { asksThisCluster, kubernetesDiscovery, namespacesOf } from "./kubernetes-discovery.ts";
import { jobLimits } from "./limits.ts";
import { protocolConfig } from "./protocols.ts";
import { relabelConfigs } from "./relabeling.ts";
import { addressShardRules, copy, keepJobName, selectorRules, set } from "./rules.ts";
import { classOf } from "./scrape-class.ts";
import type { Settings } from "./settings.ts";

const proberAddress = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/u;

/** A Probe becomes one job that asks a prober about each target. */
export function probeJobs(spec: Field, scope: Scope, settings: Settings): ScrapeJob[] {
  const { namespace, name } = scope.owner;
  const prober = spec.get("prober");
  const jobName = spec.get("jobName").word();
  const scrapeClass = classOf(spec, settings.scrapeClasses);
  const targets = readTargets(spec, scope, settings);
  checkComplete(spec, scope);
  const config: ConfigMap = {
    job_name: `probe/${namespace}/${name}`,
    honor_timestamps: !settings.overrideHonorTimestamps,
    ...timing(spec.get("interval"), spec.get("scrapeTimeout"), settings.scrapeInterval),
    // The API server fills in the path wherever there is a prober.
    metrics_path: prober.get("path").text() ?? (prober.present ? "/probe" : ""),
    scheme: readScheme(prober.get("scheme")),
    params: probeParams(spec),
    ...proxyConfig(prober, scope),
    follow_redirects: scope.since("2.26", spec.get("followRedirects"), (flag) => flag.flag()),
    enable_http2: scope.since("2.35", spec.get("enableHttp2"), (flag) => flag.flag()),
    ...targets.config,
    relabel_configs: [
      keepJobName,
      ...(jobName === undefined ? [] : [set("job", jobName)]),
      ...targets.rules,
      ...(targets.relabelings === undefined
        ? []
        : [
            ...(scrapeClass?.relabelings ?? []),
            ...relabelConfigs(targets.relabelings, scope),
            ...enforcedNamespaceRules(settings, scope.owner),
          ]),
      ...addressShardRules(settings.sharding, "__param_target"),
    ],
    ...credentialConfig(spec, scope, { files: "denied", scrapeClass }),
    ...jobLimits(spec, scope, settings.enforcedLimits),
    ...protocolConfig(spec, scope, scrapeClass?.fallbackProtocol),
    metric_relabel_configs: metricRules(spec.get("metricRelabelings"), scope, { settings, scrapeClass }),
  };
  return [{ config, targets: targets.query }];
}

/** The API server asks for these already; a file may lack them, and then the job would probe nothing. */
function checkComplete(spec: Field, scope: Scope): void {
  if (!scope.checksAll) return;
  const url = spec.get("prober").get("url");
  if (!proberAddress.test(url.text() ?? "")) {
    url.reject(
      `${url.path} is no host and no host:port.`,
      "Give the address of the prober without scheme and path, such as blackbox:9115.",
    );
  }
  const targets = spec.get("targets");
  if (targets.get("staticConfig").get("static").list().length === 0 && !targets.get("ingress").present) {
    targets.reject(`${targets.path} names nothing to probe.`, "Give staticConfig.static or ingress.");
  }
}

function probeParams(spec: Field): ConfigMap | undefined {
  const module = spec.get("module").word();
  const params: Record<string, readonly string[]> = {};
  if (module !== undefined) params["module"] = [module];
  for (const param of spec.get("params").list()) {
    const name = param.get("name").word();
    const isTaken = name === "module" && module !== undefined;
    if (name !== undefined && !isTaken) params[name] = param.get("values").texts();
  }
  return nonEmptyMap(params);
}

interface Targets {
  readonly config: ConfigMap;
  readonly rules: readonly ConfigMap[];
  /** The user's own rules; undefined when there are no targets they could be for. */
  readonly relabelings: Field | undefined;
  readonly query: TargetQuery;
}

/** Static targets win where both kinds are given. */
function readTargets(spec: Field, scope: Scope, settings: Settings): Targets {
  const prober = set("__address__", spec.get("prober").get("url").text() ?? "");
  const fixed = spec.get("targets").get("staticConfig");
  if (fixed.present) return staticTargets(fixed, prober, scope);
  const ingress = spec.get("targets").get("ingress");
  if (!ingress.present)
    return { config: {}, rules: [], relabelings: undefined, query: { from: "list", count: 0 } };
  const namespaces = namespacesOf(ingress.get("namespaceSelector"), scope, settings);
  const labels = readLabelSelector(ingress.get("selector"));
  return {
    config: { kubernetes_sd_configs: kubernetesDiscovery({ role: "ingress", namespaces }, settings) },
    rules: [...selectorRules("ingress", labels), ...ingressRules, prober],
    relabelings: ingress.get("relabelingConfigs"),
    query: asksThisCluster(settings) ? { from: "ingresses", namespaces, labels } : uncounted,
  };
}

function staticTargets(fixed: Field, prober: ConfigMap, scope: Scope): Targets {
  const labels = { namespace: scope.owner.namespace, ...readLabels(fixed.get("labels"), scope) };
  const targets = fixed.get("static").texts();
  return {
    config: { static_configs: [{ targets, labels }] },
    rules: [copy("__address__", "__param_target"), copy("__param_target", "instance"), prober],
    relabelings: fixed.get("relabelingConfigs"),
    query: { from: "list", count: new Set(targets).size },
  };
}

const ingressRules: readonly ConfigMap[] = [
  {
    source_labels: ["__meta_kubernetes_ingress_scheme", "__address__", "__meta_kubernetes_ingress_path"],
    separator: ";",
    regex: "(.+);(.+);(.+)",
    target_label: "__param_target",
    replacement: "${1}://${2}${3}",
    action: "replace",
  },
  copy("__meta_kubernetes_namespace", "namespace"),
  copy("__meta_kubernetes_ingress_name", "ingress"),
  {
    source_labels: ["__address__"],
    separator: ";",
    regex: "(.*)",
    target_label: "__tmp_ingress_address",
    replacement: "$1",
    action: "replace",
  },
  copy("__param_target", "instance"),
];
