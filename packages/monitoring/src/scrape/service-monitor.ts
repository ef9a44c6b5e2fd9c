import { readTargetLabels } from "../check/label-name.ts";
import { readLabelSelector } from "../check/label-selector.ts";
import { readPortName } from "../check/regex.ts";
import type { Scope } from "../check/scope.ts";
import type { ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";
import {
  containerPortRule,
  portNames,
  uncounted,
  type PortRule,
  type TargetQuery,
} from "../targets/target-query.ts";
import { endpointJob } from "./endpoint.ts";
import type { ScrapeJob } from "./job.ts";
import {
  asksThisCluster,
  kubernetesDiscovery,
  namespacesOf,
  roleSelectors,
  usesRoleSelector,
} from "./kubernetes-discovery.ts";
import { copy, copyLabel, dropFinishedPods, keep, keepJobName, selectorRules, set } from "./rules.ts";
import { classOf, type ScrapeClass } from "./scrape-class.ts";
import type { Settings } from "./settings.ts";

/** A ServiceMonitor becomes one job per endpoint. */
export function* serviceMonitorJobs(spec: Field, scope: Scope, settings: Settings): Iterable<ScrapeJob> {
  const { namespace, name } = scope.owner;
  const scrapeClass = classOf(spec, settings.scrapeClasses);
  const targetsOf = targetQueries(spec, scope, settings);
  for (const [index, endpoint] of spec.get("endpoints").list().entries()) {
    const job = {
      name: `serviceMonitor/${namespace}/${name}/${index}`,
      spec,
      endpoint,
      scrapeClass,
      discovery: discovery(spec, scope, { settings, scrapeClass }),
      targetRules: targetRules(spec, endpoint, { scope, settings }),
      shardRules: settings.endpointShardRules,
      files: settings.files,
    };
    yield { config: endpointJob(job, scope, settings), targets: targetsOf(endpoint) };
  }
}

/** The targets that each endpoint finds. */
function targetQueries(spec: Field, scope: Scope, settings: Settings): (endpoint: Field) => TargetQuery {
  const shared = {
    from: "services",
    role: usesEndpointSlices(spec, scope, settings) ? "endpointslice" : "endpoints",
    namespaces: namespacesOf(spec.get("namespaceSelector"), scope, settings),
    labels: readLabelSelector(spec.get("selector")),
    seesInitContainers: scope.isAtLeast("3.0"),
  } as const;
  return (endpoint) => {
    const isGiven = endpoint.get("port").word() !== undefined || targetPortOf(endpoint) !== undefined;
    const port = isGiven ? portRule(endpoint) : undefined;
    if ((isGiven && port === undefined) || !asksThisCluster(settings)) return uncounted;
    return { ...shared, port, keepsFinished: endpoint.get("filterRunning").flag() === false };
  };
}

function portRule(endpoint: Field): PortRule | undefined {
  const port = endpoint.get("port").word();
  if (port === undefined) return containerPortRule(endpoint.get("targetPort"));
  const names = portNames(port);
  return names === undefined ? undefined : { of: "endpoint", names };
}

interface Context {
  readonly settings: Settings;
  readonly scrapeClass: ScrapeClass | undefined;
}

function discovery(spec: Field, scope: Scope, { settings, scrapeClass }: Context): readonly ConfigMap[] {
  const role = usesEndpointSlices(spec, scope, settings) ? "endpointslice" : "endpoints";
  const node = spec.get("attachMetadata").get("node");
  const attachesNode =
    settings.sharding.shardsPerZone === undefined ? (node.flag() ?? scrapeClass?.attachesNode) : true;
  const terms = usesRoleSelector(spec, scope) ? readLabelSelector(spec.get("selector")) : [];
  return kubernetesDiscovery(
    {
      role,
      namespaces: namespacesOf(spec.get("namespaceSelector"), scope, settings),
      selectors: roleSelectors([role, "service"], terms),
      attachesNode: scope.isAtLeast("2.37") ? attachesNode : undefined,
    },
    settings,
  );
}

function usesEndpointSlices(spec: Field, scope: Scope, settings: Settings): boolean {
  const own = spec.get("serviceDiscoveryRole").choice(["Endpoints", "EndpointSlice"]);
  const isWanted = own === undefined ? settings.prefersEndpointSlices : own === "EndpointSlice";
  return isWanted && settings.endpointSliceSupported && scope.isAtLeast("2.21");
}

interface RuleContext {
  readonly scope: Scope;
  readonly settings: Settings;
}

function targetRules(spec: Field, endpoint: Field, { scope, settings }: RuleContext): ConfigMap[] {
  const terms = readLabelSelector(spec.get("selector"));
  const discovered = usesEndpointSlices(spec, scope, settings) ? "endpointslice" : "endpoint";
  const port = readPortName(endpoint.get("port"));
  const jobLabel = spec.get("jobLabel").word();
  const endpointName = port ?? targetPortOf(endpoint);
  return [
    keepJobName,
    ...(usesRoleSelector(spec, scope) ? [] : selectorRules("service", terms)),
    ...(port === undefined
      ? targetPortRules(endpoint)
      : [keep(`__meta_kubernetes_${discovered}_port_name`, port)]),
    ...nameRules[discovered],
    ...(endpoint.get("filterRunning").flag() === false ? [] : [dropFinishedPods]),
    ...readTargetLabels(spec.get("targetLabels"), scope).map((label) => copyLabel("service", label)),
    ...[...readTargetLabels(spec.get("podTargetLabels"), scope), ...settings.podTargetLabels].map((label) =>
      copyLabel("pod", label),
    ),
    jobIsService,
    ...(jobLabel === undefined ? [] : [copyLabel("service", jobLabel, "job")]),
    ...(endpointName === undefined ? [] : [set("endpoint", endpointName)]),
  ];
}

const jobIsService: ConfigMap = { ...copy("__meta_kubernetes_service_name", "job"), replacement: "${1}" };

/** The same in every job, and so the same objects. */
const nameRules = { endpoint: nameRulesFor("endpoint"), endpointslice: nameRulesFor("endpointslice") };

function nameRulesFor(discovered: string): readonly ConfigMap[] {
  return [
    ownerRule(discovered, "Node", "node"),
    ownerRule(discovered, "Pod", "pod"),
    copy("__meta_kubernetes_namespace", "namespace"),
    copy("__meta_kubernetes_service_name", "service"),
    copy("__meta_kubernetes_pod_name", "pod"),
    copy("__meta_kubernetes_pod_container_name", "container"),
  ];
}

/** Endpoints say in two labels what kind of object is behind them. */
function ownerRule(discovered: string, kind: string, target: string): ConfigMap {
  const prefix = `__meta_kubernetes_${discovered}_address_target`;
  return {
    source_labels: [`${prefix}_kind`, `${prefix}_name`],
    separator: ";",
    regex: `${kind};(.*)`,
    replacement: "${1}",
    target_label: target,
  };
}

/** A container's port by its number, or by its name. */
export function targetPortRules(endpoint: Field): ConfigMap[] {
  const field = endpoint.get("targetPort");
  const port = targetPortOf(endpoint);
  if (port === undefined) return [];
  const kind = typeof field.value === "number" ? "number" : "name";
  return [keep(`__meta_kubernetes_pod_container_port_${kind}`, port)];
}

/** The number 0 and the empty name are what the API server writes for a port that nobody gave. */
export function targetPortOf(endpoint: Field): string | undefined {
  const field = endpoint.get("targetPort");
  if (typeof field.value === "number") return field.count() === 0 ? undefined : String(field.value);
  return readPortName(field);
}
