import { readTargetLabels } from "../check/label-name.ts";
import { readLabelSelector } from "../check/label-selector.ts";
import { readPortName } from "../check/regex.ts";
import type { Scope } from "../check/scope.ts";
import type { ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";
import {
  containerPortRule,
  uncounted,
  type ContainerPortRule,
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
import { targetPortOf, targetPortRules } from "./service-monitor.ts";
import type { Settings } from "./settings.ts";

/** A PodMonitor becomes one job per endpoint. */
export function* podMonitorJobs(spec: Field, scope: Scope, settings: Settings): Iterable<ScrapeJob> {
  const { namespace, name } = scope.owner;
  const scrapeClass = classOf(spec, settings.scrapeClasses);
  const targetsOf = targetQueries(spec, scope, settings);
  for (const [index, endpoint] of spec.get("podMetricsEndpoints").list().entries()) {
    const job = {
      name: `podMonitor/${namespace}/${name}/${index}`,
      spec,
      endpoint,
      scrapeClass,
      discovery: discovery(spec, scope, { settings, scrapeClass }),
      targetRules: targetRules(spec, endpoint, { scope, settings }),
      shardRules: settings.endpointShardRules,
      files: "denied" as const,
    };
    yield { config: endpointJob(job, scope, settings), targets: targetsOf(endpoint) };
  }
}

/** The targets that each endpoint finds. */
function targetQueries(spec: Field, scope: Scope, settings: Settings): (endpoint: Field) => TargetQuery {
  const shared = {
    from: "pods",
    namespaces: namespacesOf(spec.get("namespaceSelector"), scope, settings),
    labels: readLabelSelector(spec.get("selector")),
  } as const;
  return (endpoint) => {
    const given = portField(endpoint);
    const port: ContainerPortRule | undefined = given === undefined ? undefined : containerPortRule(given);
    if ((given !== undefined && port === undefined) || !asksThisCluster(settings)) return uncounted;
    return { ...shared, port, keepsFinished: endpoint.get("filterRunning").flag() === false };
  };
}

interface Context {
  readonly settings: Settings;
  readonly scrapeClass: ScrapeClass | undefined;
}

function discovery(spec: Field, scope: Scope, { settings, scrapeClass }: Context): readonly ConfigMap[] {
  const node = spec.get("attachMetadata").get("node");
  const attachesNode =
    settings.sharding.shardsPerZone === undefined ? (node.flag() ?? scrapeClass?.attachesNode) : true;
  return kubernetesDiscovery(
    {
      role: "pod",
      namespaces: namespacesOf(spec.get("namespaceSelector"), scope, settings),
      selectors: podSelectors(spec, scope, settings),
      attachesNode: scope.isAtLeast("2.35") ? attachesNode : undefined,
    },
    settings,
  );
}

function podSelectors(spec: Field, scope: Scope, settings: Settings): ConfigMap[] {
  const terms = usesRoleSelector(spec, scope) ? readLabelSelector(spec.get("selector")) : [];
  const [selector] = roleSelectors(["pod"], terms);
  if (!settings.daemonSet) return selector === undefined ? [] : [selector];
  return [{ role: "pod", ...selector, field: "spec.nodeName=$(NODE_NAME)" }];
}

interface RuleContext {
  readonly scope: Scope;
  readonly settings: Settings;
}

function targetRules(spec: Field, endpoint: Field, { scope, settings }: RuleContext): ConfigMap[] {
  const { namespace, name } = scope.owner;
  const terms = readLabelSelector(spec.get("selector"));
  const jobLabel = spec.get("jobLabel").word();
  const endpointName = endpoint.get("port").word() ?? targetPortOf(endpoint);
  return [
    keepJobName,
    ...(endpoint.get("filterRunning").flag() === false ? [] : [dropFinishedPods]),
    ...(usesRoleSelector(spec, scope) ? [] : selectorRules("pod", terms)),
    ...portRules(endpoint),
    ...nameRules,
    ...[...readTargetLabels(spec.get("podTargetLabels"), scope), ...settings.podTargetLabels].map((label) =>
      copyLabel("pod", label),
    ),
    set("job", `${namespace}/${name}`),
    ...(jobLabel === undefined ? [] : [copyLabel("pod", jobLabel, "job")]),
    ...(endpointName === undefined ? [] : [set("endpoint", endpointName)]),
  ];
}

/** The same in every job, and so the same objects. */
const nameRules: readonly ConfigMap[] = [
  copy("__meta_kubernetes_namespace", "namespace"),
  copy("__meta_kubernetes_pod_container_name", "container"),
  copy("__meta_kubernetes_pod_name", "pod"),
];

/** The name of a port comes before its number, and both before the older targetPort. */
function portRules(endpoint: Field): ConfigMap[] {
  const port = readPortName(endpoint.get("port"));
  if (port !== undefined) return [keep("__meta_kubernetes_pod_container_port_name", port)];
  const number = endpoint.get("portNumber").count() ?? 0;
  if (number > 0) return [keep("__meta_kubernetes_pod_container_port_number", String(number))];
  return targetPortRules(endpoint);
}

/** The one of the three that counts. */
function portField(endpoint: Field): Field | undefined {
  if (endpoint.get("port").word() !== undefined) return endpoint.get("port");
  if ((endpoint.get("portNumber").count() ?? 0) > 0) return endpoint.get("portNumber");
  return targetPortOf(endpoint) === undefined ? undefined : endpoint.get("targetPort");
}
