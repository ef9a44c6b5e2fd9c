/** Why a query finds nothing: what people ask most about monitors. Each answer is a sentence. */
import { printSelector } from "../check/label-selector.ts";
import type { IngressFacts, PodFacts, PortFacts, ServiceFacts } from "./cluster-facts.ts";
import { isScraped, type ServiceEndpoints } from "./count-targets.ts";
import type { ContainerPortRule, IngressTargets, PodTargets, ServiceTargets } from "./target-query.ts";

const namedAtMost = 5;

export function whyNoEndpoints(
  query: ServiceTargets,
  services: readonly ServiceFacts[],
  endpoints: readonly ServiceEndpoints[],
): string {
  if (services.length === 0 && endpoints.length === 0) return none(query, "Service");
  const name = several(query, services, ["Service", "Services"]);
  const groups = endpoints
    .flatMap(({ objects }) => objects.flat())
    .filter(({ addresses }) => addresses.length > 0);
  if (groups.length === 0) return `${capitalized(name)} has no endpoints: no pod is behind it.`;
  if (query.port?.of !== "endpoint") return `No container behind ${name} ${declares(query.port)}.`;
  const there = listPorts(groups.flatMap(({ ports }) => ports));
  return `${capitalized(name)} has no port called ${quoted(query.port.names)}${there}.`;
}

export function whyNoPods(query: PodTargets, pods: readonly PodFacts[]): string {
  if (pods.length === 0) return none(query, "pod");
  const name = several(query, pods, ["pod", "pods"]);
  const scraped = pods.filter((pod) => isScraped(pod, query));
  if (scraped.length === 0) return `${capitalized(name)} has finished, or has no address yet.`;
  const ports = scraped.flatMap(({ containers, initContainers }) =>
    [...containers, ...initContainers].flat(),
  );
  return `No container of ${name} ${declares(query.port)}${listPorts(ports)}.`;
}

export function whyNoIngresses(query: IngressTargets, ingresses: readonly IngressFacts[]): string {
  if (ingresses.length === 0) return none(query, "Ingress");
  const name = several(query, ingresses, ["Ingress", "Ingresses"]);
  return `${capitalized(name)} has no rules.`;
}

type Wanted = Pick<ServiceTargets, "namespaces" | "labels">;

function none(query: Wanted, kind: string): string {
  return `There is no ${kind}${described(query)}.`;
}

/** One object by its name, several by what they have in common. */
function several(
  query: Wanted,
  objects: readonly { readonly namespace: string; readonly name: string }[],
  [one, many]: readonly [string, string],
): string {
  const [first] = objects;
  if (first !== undefined && objects.length === 1) return `the ${one} ${first.namespace}/${first.name}`;
  // Endpoints may be there without a Service.
  return `each ${objects.length === 0 ? one : `of ${objects.length} ${many}`}${described(query)}`;
}

function described({ namespaces, labels }: Wanted): string {
  const labelled = labels.length === 0 ? "" : ` with «${printSelector(labels)}»`;
  if (namespaces === undefined) return `${labelled} in any namespace`;
  return `${labelled} in the ${namespaces.length === 1 ? "namespace" : "namespaces"} ${listed(namespaces)}`;
}

function declares(rule: ContainerPortRule | undefined): string {
  if (rule === undefined) return "declares a port";
  return "names" in rule
    ? `declares a port called ${quoted(rule.names)}`
    : `declares the port ${rule.number}`;
}

function quoted(names: readonly string[]): string {
  return `«${names.join("|")}»`;
}

/** The ports that there are instead: mostly the one that was meant is among them. */
function listPorts(ports: readonly PortFacts[]): string {
  const names = ports.map(({ name, number }) => (name === "" ? String(number ?? "") : name));
  const there = [...new Set(names)].filter((name) => name !== "");
  return there.length === 0 ? "" : `; there is ${listed(there)}`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, namedAtMost).join(", ");
  return names.length > namedAtMost ? `${shown} and ${names.length - namedAtMost} more` : shown;
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
