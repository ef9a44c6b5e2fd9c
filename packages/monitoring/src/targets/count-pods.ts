import type { ContainerFacts, PodFacts } from "./cluster-facts.ts";
import { matchesPort } from "./matches-port.ts";
import type { PodTargets } from "./target-query.ts";

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
