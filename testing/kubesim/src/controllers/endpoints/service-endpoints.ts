import type { ObjectReference } from "../kinds/meta.ts";
import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  Service,
  ServicePort,
  SliceEndpoint,
} from "../kinds/network.ts";
import type { Container, Pod } from "../kinds/pod.ts";
import { isFinished, isReady, isTerminating } from "../pods/pod-state.ts";

/** Pods behind a service, of those its selector matches: they have an address and are neither over nor leaving. */
export function servingPods(pods: readonly Pod[]): Pod[] {
  return pods
    .filter((pod) => pod.status?.podIP !== undefined && !isFinished(pod) && !isTerminating(pod))
    .toSorted((a, b) => ((a.status?.podIP ?? "") < (b.status?.podIP ?? "") ? -1 : 1));
}

/** Pods grouped by the ports they offer: a named target port may be another number in each. */
export function endpointSubsets(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const groups = Map.groupBy(pods, (pod) => JSON.stringify(endpointPorts(service, pod)));
  return [...groups].flatMap(([portsKey, members]): EndpointSubset[] => {
    const ports: EndpointPort[] = JSON.parse(portsKey);
    if (ports.length === 0 && (service.spec.ports ?? []).length > 0) return [];
    const [ready, notReady] = split(service, members);
    return [
      {
        ...(ready.length === 0 ? {} : { addresses: ready.map(address) }),
        ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady.map(address) }),
        ...(ports.length === 0 ? {} : { ports }),
      },
    ];
  });
}

export function sliceEndpoint(service: Service, pod: Pod): SliceEndpoint {
  const ready = isReady(pod) || service.spec.publishNotReadyAddresses === true;
  return {
    addresses: [pod.status?.podIP ?? ""],
    conditions: { ready, serving: isReady(pod), terminating: false },
    ...hostnameOf(pod),
    ...(pod.spec.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
    targetRef: reference(pod),
  };
}

export function endpointPorts(service: Service, pod: Pod): EndpointPort[] {
  return (service.spec.ports ?? []).flatMap((port) => {
    const number = targetPort(port, pod);
    if (number === undefined) return [];
    return [
      {
        ...(port.name === undefined ? {} : { name: port.name }),
        port: number,
        protocol: port.protocol ?? "TCP",
      },
    ];
  });
}

function targetPort({ port, targetPort = port }: ServicePort, pod: Pod): number | undefined {
  if (typeof targetPort === "number") return targetPort;
  for (const container of pod.spec.containers) {
    const named = findPort(container, targetPort);
    if (named !== undefined) return named;
  }
  return undefined;
}

function findPort(container: Container, name: string): number | undefined {
  return container.ports?.find((port) => port.name === name)?.containerPort;
}

function split(service: Service, pods: readonly Pod[]): [Pod[], Pod[]] {
  const counts = (pod: Pod): boolean => isReady(pod) || service.spec.publishNotReadyAddresses === true;
  return [pods.filter(counts), pods.filter((pod) => !counts(pod))];
}

function address(pod: Pod): EndpointAddress {
  return {
    ip: pod.status?.podIP ?? "",
    ...hostnameOf(pod),
    ...(pod.spec.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
    targetRef: reference(pod),
  };
}

function hostnameOf(pod: Pod): { hostname?: string } {
  const { hostname, subdomain } = pod.spec;
  return hostname === undefined || subdomain === undefined ? {} : { hostname };
}

function reference(pod: Pod): ObjectReference {
  const { namespace, name, uid } = pod.metadata;
  return { kind: "Pod", ...(namespace === undefined ? {} : { namespace }), name, uid };
}
