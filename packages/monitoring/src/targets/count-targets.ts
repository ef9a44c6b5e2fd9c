import type { ClusterFacts, ContainerFacts, EndpointGroup, PodFacts, PortFacts } from "./cluster-facts.ts";
import { matchesPort, type PodTargets, type ServiceTargets } from "./target-query.ts";

/** Finds a pod of the namespace. */
type FindPod = (name: string) => PodFacts | undefined;

/**
 * How many targets the discovery of endpoints makes of a Service and the rules leave: one for each address and port,
 * and one for each port of a container behind them that no endpoint names. The collector scrapes what it finds under
 * the same labels once.
 */
export function countEndpoints(
  { objects }: Pick<ServiceEndpoints, "objects">,
  query: ServiceTargets,
  findPod: FindPod,
): number {
  const targets = new Set<string>();
  for (const groups of objects) {
    if (query.port?.of === "endpoint") addNamed(targets, groups, query.port.names);
    else addWithPods(targets, groups, { query, findPod });
  }
  return targets.size;
}

function addNamed(targets: Set<string>, groups: readonly EndpointGroup[], names: readonly string[]): void {
  for (const { ports, addresses } of groups) {
    for (const { name, number } of ports) {
      if (!names.includes(name)) continue;
      for (const { ip, pod } of addresses) targets.add(identity({ ip, number, pod }));
    }
  }
}

interface Lookup {
  readonly query: ServiceTargets;
  readonly findPod: FindPod;
}

function addWithPods(targets: Set<string>, groups: readonly EndpointGroup[], lookup: Lookup): void {
  const { query } = lookup;
  const behind = new PodsBehind(lookup);
  for (const { ports, addresses } of groups) {
    for (const { number } of ports) {
      for (const { ip, pod: name } of addresses) {
        const pod = behind.see(name, number);
        if (pod?.isDropped === true) continue;
        const declared = portBehind(pod?.declared ?? [], number);
        if (!matchesPort(query.port, declared?.port)) continue;
        targets.add(identity({ ip, number, pod: name, container: declared?.container }));
      }
    }
  }
  for (const [name, { ip, isDropped, declared, covered }] of behind.seen) {
    if (ip === "" || isDropped) continue;
    for (const { port, container } of declared) {
      if (covered.has(port.number) || !matchesPort(query.port, port)) continue;
      targets.add(identity({ ip, number: port.number, pod: name, container }));
    }
  }
}

interface PodBehind {
  readonly ip: string;
  readonly isDropped: boolean;
  readonly declared: readonly DeclaredPort[];
  /** The ports that endpoints name. */
  readonly covered: Set<number | undefined>;
}

/** The pods behind the endpoints of one object. */
class PodsBehind {
  readonly seen = new Map<string, PodBehind>();
  readonly #lookup: Lookup;

  constructor(lookup: Lookup) {
    this.#lookup = lookup;
  }

  /** An endpoint of this pod has this port. */
  see(name: string | undefined, port: number | undefined): PodBehind | undefined {
    const pod = name === undefined ? undefined : (this.seen.get(name) ?? this.#find(name));
    if (name === undefined || pod === undefined) return undefined;
    this.seen.set(name, pod);
    pod.covered.add(port);
    return pod;
  }

  #find(name: string): PodBehind | undefined {
    const { query, findPod } = this.#lookup;
    const pod = findPod(name);
    if (pod === undefined) return undefined;
    const isDropped = pod.isFinished && !query.keepsFinished;
    return { ip: pod.ip, isDropped, declared: declaredPorts(pod, query), covered: new Set() };
  }
}

interface DeclaredPort {
  readonly port: PortFacts;
  /** Which container of the pod it is. */
  readonly container: number;
}

function declaredPorts(pod: PodFacts, { seesInitContainers }: ServiceTargets): DeclaredPort[] {
  const containers = seesInitContainers ? [...pod.containers, ...pod.initContainers] : pod.containers;
  return containers.flatMap((ports, container) => ports.map((port) => ({ port, container })));
}

/** The port of a container behind that of an endpoint: of the last container that declares it, the first of that. */
function portBehind(declared: readonly DeclaredPort[], wanted: number | undefined): DeclaredPort | undefined {
  const all = declared.filter(({ port }) => wanted !== undefined && port.number === wanted);
  const last = all.at(-1)?.container;
  return all.find(({ container }) => container === last);
}

interface Target {
  readonly ip: string;
  readonly number: number | undefined;
  readonly pod: string | undefined;
  readonly container?: number | undefined;
}

/** The identity of a target among those of one Service, by its labels: targets with the same are one. */
function identity({ ip, number, pod, container }: Target): string {
  return `${ip} ${number ?? ""} ${pod ?? ""} ${container ?? ""}`;
}

/** All that is behind one Service, with the labels of the Service: those are what a monitor selects by. */
export interface ServiceEndpoints {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The groups of each object that its endpoints are in. */
  readonly objects: readonly (readonly EndpointGroup[])[];
}

/**
 * The endpoints that the discovery of this role sees. The endpoints of one Service may be in several objects; those of no Service
 * have no labels, and nothing tells them apart in a namespace.
 */
export function serviceEndpoints(facts: ClusterFacts, role: ServiceTargets["role"]): ServiceEndpoints[] {
  const objects = (role === "endpoints" ? facts.endpoints : facts.endpointSlices).list();
  const joined = new Map<string, ServiceEndpoints & { readonly objects: (readonly EndpointGroup[])[] }>();
  for (const { namespace, service: name, groups } of objects) {
    const service = name === undefined ? undefined : facts.services.get(namespace, name);
    const key = `${namespace}/${service?.name ?? ""}`;
    const known = joined.get(key);
    if (known === undefined) joined.set(key, { namespace, labels: service?.labels ?? {}, objects: [groups] });
    else known.objects.push(groups);
  }
  return [...joined.values()];
}

/**
 * How many targets the discovery of pods makes of these and the rules leave: one for each port of each container, init
 * containers too, and one without a port for a container that declares none. A pod without an address is none.
 */
export function countPods(pods: readonly PodFacts[], query: PodTargets): number {
  // Pods of one template share the list of their containers, and there may be thousands of them.
  const known = new Map<readonly ContainerFacts[], number>();
  const countOf = (containers: readonly ContainerFacts[]): number => {
    const count = known.get(containers) ?? countContainers(containers, query);
    known.set(containers, count);
    return count;
  };
  return pods
    .filter((pod) => isScraped(pod, query))
    .reduce((sum, { containers, initContainers }) => sum + countOf(containers) + countOf(initContainers), 0);
}

export function isScraped({ ip, isFinished }: PodFacts, { keepsFinished }: PodTargets): boolean {
  return ip !== "" && (keepsFinished || !isFinished);
}

function countContainers(containers: readonly ContainerFacts[], { port }: PodTargets): number {
  return containers.reduce((sum, ports) => {
    if (ports.length === 0) return sum + (port === undefined ? 1 : 0);
    // One number for two protocols is one address.
    const numbers = ports.filter((each) => matchesPort(port, each)).map(({ number }) => number);
    return sum + new Set(numbers).size;
  }, 0);
}
