/** Objects of a cluster as the records that counting takes. */
import type {
  AddressFacts,
  ContainerFacts,
  EndpointsFacts,
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
