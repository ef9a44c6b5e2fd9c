/** Objects of a cluster as the records that counting takes. */
import { isRecord } from "@bowline/core";

import { groupOf, namespaceOf, type KubeObject } from "../model/kube-object.ts";
import type {
  AddressFacts,
  ClusterFacts,
  ContainerFacts,
  EndpointsFacts,
  FactKind,
  Facts,
  IngressFacts,
  PodFacts,
  PortFacts,
  ServiceFacts,
} from "./cluster-facts.ts";

interface Metadata {
  readonly metadata: {
    readonly namespace?: string;
    readonly name?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

interface Port {
  readonly name?: string | null;
  readonly port?: number | null;
}

interface TargetRef {
  readonly kind?: string;
  readonly name?: string;
}

interface Address {
  readonly ip?: string;
  readonly targetRef?: TargetRef;
}

interface Subset {
  readonly addresses?: readonly Address[];
  readonly notReadyAddresses?: readonly Address[];
  readonly ports?: readonly Port[];
}

export interface EndpointsLike extends Metadata {
  readonly subsets?: readonly Subset[];
}

export interface EndpointSliceLike extends Metadata {
  readonly endpoints?:
    | readonly { readonly addresses?: readonly string[]; readonly targetRef?: TargetRef }[]
    | null;
  readonly ports?: readonly Port[] | null;
}

interface Container {
  readonly ports?: readonly { readonly name?: string; readonly containerPort?: number }[];
}

export interface PodLike extends Metadata {
  readonly spec?: {
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
  };
  readonly status?: { readonly podIP?: string; readonly phase?: string };
}

interface IngressRule {
  readonly host?: string;
  readonly http?: { readonly paths?: readonly { readonly path?: string }[] };
}

export interface IngressLike extends Metadata {
  readonly spec?: { readonly rules?: readonly IngressRule[] };
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

export function serviceFacts({ metadata }: Metadata): ServiceFacts {
  const { namespace = "", name = "", labels = noLabels } = metadata;
  return { namespace, name, labels };
}

export function endpointsFacts({ metadata, subsets = [] }: EndpointsLike): EndpointsFacts {
  const { namespace = "", name = "" } = metadata;
  return {
    namespace,
    service: name,
    groups: subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => ({
      ports: ports.map(portFacts),
      addresses: [...addresses, ...notReadyAddresses].map(({ ip = "", targetRef }) =>
        addressFacts(ip, targetRef),
      ),
    })),
  };
}

export function endpointSliceFacts({ metadata, endpoints, ports }: EndpointSliceLike): EndpointsFacts {
  const { namespace = "", labels = noLabels } = metadata;
  const addresses = (endpoints ?? []).flatMap((endpoint) =>
    (endpoint.addresses ?? []).map((ip) => addressFacts(ip, endpoint.targetRef)),
  );
  const service = labels["kubernetes.io/service-name"];
  return { namespace, service, groups: [{ ports: (ports ?? []).map(portFacts), addresses }] };
}

export function podFacts({ metadata, spec, status }: PodLike): PodFacts {
  const { namespace = "", name = "", labels = noLabels } = metadata;
  const { podIP: ip = "", phase } = status ?? {};
  return {
    namespace,
    name,
    labels,
    ip,
    isFinished: phase === "Succeeded" || phase === "Failed",
    containers: (spec?.containers ?? []).map(containerFacts),
    initContainers: (spec?.initContainers ?? []).map(containerFacts),
  };
}

/** A target for each path of each host. Those without a host have no address of their own, and are one. */
export function ingressFacts({ metadata, spec }: IngressLike): IngressFacts {
  const { namespace = "", name = "", labels = noLabels } = metadata;
  const addresses = (spec?.rules ?? []).flatMap(({ host = "", http }) =>
    (http === undefined ? ["/"] : (http.paths ?? []).map(({ path = "" }) => path || "/")).map((path) =>
      host === "" ? "" : `${host}${path}`,
    ),
  );
  return { namespace, name, labels, targets: new Set(addresses).size };
}

function containerFacts({ ports = [] }: Container): ContainerFacts {
  return ports.map(({ name, containerPort }) => portFacts({ name: name ?? "", port: containerPort ?? null }));
}

function portFacts({ name, port }: Port): PortFacts {
  return { name: name ?? "", ...(port === undefined || port === null ? {} : { number: port }) };
}

function addressFacts(ip: string, target: TargetRef | undefined): AddressFacts {
  return target?.kind === "Pod" && target.name !== undefined ? { ip, pod: target.name } : { ip };
}

interface FactsOfObjects {
  readonly facts: ClusterFacts;
  /** Kinds of which there is any object: nothing can be said about a cluster from what was left out of the files. */
  readonly kinds: ReadonlySet<FactKind>;
}

/** The records for counting, from objects as they are in files: all of them may be there, and none need be right. */
export function factsOfObjects(objects: readonly KubeObject[]): FactsOfObjects {
  const byKind = Map.groupBy(objects, (object) => `${groupOf(object) ?? "?"} ${object.kind}`);
  const kinds = new Set<FactKind>();
  const read = <T>(
    kind: FactKind,
    of: readonly [string, string],
    project: (object: Given) => T,
  ): Facts<T> => {
    const [group, name] = of;
    const found = ["?", group].flatMap((each) => byKind.get(`${each} ${name}`) ?? []);
    if (found.length > 0) kinds.add(kind);
    return factsBy(found, project);
  };
  const facts: ClusterFacts = {
    services: read("services", ["", "Service"], serviceFacts),
    endpoints: read("endpoints", ["", "Endpoints"], endpointsFacts),
    endpointSlices: read("endpointSlices", ["discovery.k8s.io", "EndpointSlice"], endpointSliceFacts),
    pods: read("pods", ["", "Pod"], podFacts),
    ingresses: read("ingresses", ["networking.k8s.io", "Ingress"], ingressFacts),
  };
  return { facts, kinds };
}

/** Its fields are what the kind says, or reading them throws. */
interface Given {
  readonly metadata: KubeObject["metadata"];
  readonly spec?: object;
}

function factsBy<T>(objects: readonly KubeObject[], project: (object: Given) => T): Facts<T> {
  const byName = new Map(
    objects.flatMap((object): [string, T][] => {
      const namespace = namespaceOf(object);
      const metadata = { ...object.metadata, namespace };
      const spec = isRecord(object.spec) ? object.spec : {};
      try {
        return [[`${namespace}/${metadata.name}`, project({ ...object, metadata, spec })]];
      } catch {
        // Not what its kind says: no server would have taken it, so no collector can find it.
        return [];
      }
    }),
  );
  return { list: () => [...byName.values()], get: (namespace, name) => byName.get(`${namespace}/${name}`) };
}
