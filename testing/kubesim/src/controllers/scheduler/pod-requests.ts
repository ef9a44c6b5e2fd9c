import type { Container, PodSpec } from "../kinds/pod.ts";
import { amountOf } from "../quantity.ts";

/** What a pod asks of its node. CPU in cores, memory in bytes. */
export interface PodRequests {
  readonly cpu: number;
  readonly memory: number;
}

/** What a container without requests is taken to need when nodes are compared, as the real scheduler does. */
const assumedCpu = 0.1;
const assumedMemory = 200 * 2 ** 20;

const bySpec = new WeakMap<readonly Container[], PodRequests>();

/** The containers together, or the largest init container, whichever is more. */
export function podRequests(spec: PodSpec): PodRequests {
  const known = bySpec.get(spec.containers);
  if (known !== undefined) return known;
  const requests = { cpu: most(spec, "cpu"), memory: most(spec, "memory") };
  bySpec.set(spec.containers, requests);
  return requests;
}

export function assumedRequests({ cpu, memory }: PodRequests): PodRequests {
  return { cpu: cpu === 0 ? assumedCpu : cpu, memory: memory === 0 ? assumedMemory : memory };
}

function most(spec: PodSpec, resource: "cpu" | "memory"): number {
  const request = (container: Container): number => amountOf(container.resources?.requests?.[resource]);
  const together = spec.containers.reduce((total, container) => total + request(container), 0);
  return (spec.initContainers ?? []).reduce((largest, each) => Math.max(largest, request(each)), together);
}
