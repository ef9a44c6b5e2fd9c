import type { EndpointSliceLike, EndpointsLike, IngressLike, PodLike } from "../targets/object-facts.ts";
import type { ClusterObject } from "./cluster-objects.ts";

export type Labels = Readonly<Record<string, string>>;

interface ContainerPort {
  readonly name?: string;
  readonly containerPort?: number;
}

interface Container {
  readonly name: string;
  readonly isInit: boolean;
  readonly ports: readonly ContainerPort[];
}

interface Reference {
  readonly kind?: string;
  readonly name?: string;
}

/** One address in an object of endpoints, with its ports. */
interface Address {
  readonly ip: string;
  readonly targetRef?: Reference | undefined;
  readonly ports: readonly { readonly name?: string | null; readonly port?: number | null }[];
}

const meta = "__meta_kubernetes";

/**
 * The targets that the discovery of Prometheus 3 makes of a cluster for a role, with the labels that rules look at. Written from
 * how it is documented and known to behave, and not from how we count.
 */
export function discoveredTargets(role: string, objects: readonly ClusterObject[]): Labels[] {
  const ofKind = (kind: string): ClusterObject[] => objects.filter((object) => object.kind === kind);
  switch (role) {
    case "pod":
      return ofKind("Pod").flatMap(podTargets);
    case "ingress":
      return ofKind("Ingress").flatMap(ingressTargets);
    case "endpoints":
      return ofKind("Endpoints").flatMap((object) => {
        const addresses = endpointsAddresses(object);
        return withService(addressTargets("endpoint", object, addresses, objects), object, {
          objects,
          name: object.metadata.name,
        });
      });
    default:
      return ofKind("EndpointSlice").flatMap((object) => {
        const addresses = sliceAddresses(object);
        return withService(addressTargets("endpointslice", object, addresses, objects), object, {
          objects,
          name: object.metadata.labels?.["kubernetes.io/service-name"],
        });
      });
  }
}

function podTargets(object: ClusterObject): Labels[] {
  const { status }: PodLike = object;
  const { podIP = "" } = status ?? {};
  if (podIP === "") return [];
  return containersOf(object).flatMap((container) => {
    const shared = { ...namespaceLabel(object), ...podLabels(object) };
    if (container.ports.length === 0)
      return [{ ...shared, __address__: podIP, ...containerLabel(container) }];
    return container.ports.map((port) => ({
      ...shared,
      __address__: `${podIP}:${port.containerPort}`,
      ...containerLabel(container),
      ...portLabels(port),
    }));
  });
}

function addressTargets(
  prefix: string,
  object: ClusterObject,
  addresses: readonly Address[],
  objects: readonly ClusterObject[],
): Labels[] {
  const seen = new Map<ClusterObject, Set<number>>();
  const named = addresses.flatMap(({ ip, targetRef, ports }) =>
    ports.map(({ name, port }): Labels => {
      const labels = {
        __address__: port === undefined || port === null ? ip : `${ip}:${port}`,
        [`${meta}_${prefix}_port_name`]: name ?? "",
        ...(targetRef === undefined ? {} : targetLabels(prefix, targetRef)),
      };
      const pod = objects.find(
        ({ kind, metadata }) =>
          kind === targetRef?.kind &&
          metadata.name === targetRef.name &&
          metadata.namespace === object.metadata.namespace,
      );
      if (pod === undefined) return labels;
      const covered = seen.get(pod) ?? new Set<number>();
      seen.set(pod, covered);
      if (typeof port === "number") covered.add(port);
      return { ...labels, ...podLabels(pod), ...labelsOfPort(pod, port) };
    }),
  );
  const beside = [...seen].flatMap(([pod, covered]) =>
    podTargets(pod).filter((target) => {
      const number = target[`${meta}_pod_container_port_number`];
      return number !== undefined && !covered.has(Number(number));
    }),
  );
  return [...named, ...beside];
}

function withService(
  targets: readonly Labels[],
  object: ClusterObject,
  { objects, name }: { readonly objects: readonly ClusterObject[]; readonly name: string | undefined },
): Labels[] {
  const service = objects.find(
    ({ kind, metadata }) =>
      kind === "Service" && metadata.name === name && metadata.namespace === object.metadata.namespace,
  );
  const shared = {
    ...namespaceLabel(object),
    ...(service === undefined ? {} : objectLabels("service", service)),
  };
  return targets.map((target) => ({ ...shared, ...target }));
}

function ingressTargets(object: ClusterObject): Labels[] {
  const { spec }: IngressLike = object;
  return (spec?.rules ?? []).flatMap(({ host = "", http }) =>
    (http === undefined ? [{}] : (http.paths ?? [])).map(({ path = "" }: { readonly path?: string }) => ({
      ...namespaceLabel(object),
      ...objectLabels("ingress", object),
      __address__: host,
      [`${meta}_ingress_scheme`]: "http",
      [`${meta}_ingress_path`]: path === "" ? "/" : path,
    })),
  );
}

function endpointsAddresses(object: ClusterObject): Address[] {
  const { subsets = [] }: EndpointsLike = object;
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
    [...addresses, ...notReadyAddresses].map(({ ip = "", targetRef }) => ({ ip, targetRef, ports })),
  );
}

function sliceAddresses(object: ClusterObject): Address[] {
  const { endpoints, ports }: EndpointSliceLike = object;
  return (endpoints ?? []).flatMap(({ addresses = [], targetRef }) =>
    addresses.map((ip) => ({ ip, targetRef, ports: ports ?? [] })),
  );
}

function containersOf(object: ClusterObject): Container[] {
  const { spec }: PodLike = object;
  const { containers = [], initContainers = [] } = spec ?? {};
  return [...containers, ...initContainers].map(({ ports = [] }, index) => ({
    name: `c${index}`,
    isInit: index >= containers.length,
    ports,
  }));
}

/** The container behind a port of an endpoint: of several that declare it, the labels of the last one stay. */
function labelsOfPort(pod: ClusterObject, port: number | null | undefined): Labels {
  const found = containersOf(pod).flatMap((container): Labels[] => {
    const declared = container.ports.find(({ containerPort }) => containerPort === port);
    return declared === undefined ? [] : [{ ...containerLabel(container), ...portLabels(declared) }];
  });
  return found.at(-1) ?? {};
}

function podLabels(object: ClusterObject): Labels {
  const { status }: PodLike = object;
  const { phase = "" } = status ?? {};
  return { ...objectLabels("pod", object), [`${meta}_pod_phase`]: phase };
}

function containerLabel({ name, isInit }: Container): Labels {
  return { [`${meta}_pod_container_name`]: name, [`${meta}_pod_container_init`]: String(isInit) };
}

function portLabels({ name = "", containerPort }: ContainerPort): Labels {
  return {
    [`${meta}_pod_container_port_name`]: name,
    [`${meta}_pod_container_port_number`]: String(containerPort),
  };
}

function targetLabels(prefix: string, { kind = "", name = "" }: Reference): Labels {
  return {
    [`${meta}_${prefix}_address_target_kind`]: kind,
    [`${meta}_${prefix}_address_target_name`]: name,
  };
}

function namespaceLabel({ metadata }: ClusterObject): Labels {
  return { [`${meta}_namespace`]: metadata.namespace ?? "" };
}

function objectLabels(kind: string, { metadata }: ClusterObject): Labels {
  const labels = Object.entries(metadata.labels ?? {}).flatMap(([key, value]): [string, string][] => [
    [`${meta}_${kind}_label_${key}`, value],
    [`${meta}_${kind}_labelpresent_${key}`, "true"],
  ]);
  return { [`${meta}_${kind}_name`]: metadata.name, ...Object.fromEntries(labels) };
}
