/** Facts that counting needs of a cluster: a record for each object, as small as it can be. */
interface Labelled {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ServiceFacts extends Labelled {
  readonly name: string;
}

/** An Endpoints object or an EndpointSlice. */
export interface EndpointsFacts {
  readonly namespace: string;
  /** The Service it is of; undefined for a slice of none. */
  readonly service: string | undefined;
  readonly groups: readonly EndpointGroup[];
}

/** Addresses that have the same ports. Whether they are ready makes no difference: all of them are scraped. */
export interface EndpointGroup {
  readonly ports: readonly PortFacts[];
  readonly addresses: readonly AddressFacts[];
}

export interface AddressFacts {
  readonly ip: string;
  /** The pod behind it. */
  readonly pod?: string;
}

export interface PortFacts {
  readonly name: string;
  /** Undefined for all ports, as a slice may say. */
  readonly number?: number;
}

export interface PodFacts extends Labelled {
  readonly name: string;
  /** Empty before it has one. */
  readonly ip: string;
  readonly isFinished: boolean;
  readonly containers: readonly ContainerFacts[];
  readonly initContainers: readonly ContainerFacts[];
}

/** The ports that a container declares. */
export type ContainerFacts = readonly PortFacts[];

export interface IngressFacts extends Labelled {
  readonly name: string;
  /** How many different addresses its rules make. */
  readonly targets: number;
}

/** The objects of a kind, as a cache has them. */
export interface Facts<T> {
  list(): readonly T[];
  get(namespace: string, name: string): T | undefined;
}

export interface ClusterFacts {
  readonly services: Facts<ServiceFacts>;
  readonly endpoints: Facts<EndpointsFacts>;
  readonly endpointSlices: Facts<EndpointsFacts>;
  readonly pods: Facts<PodFacts>;
  readonly ingresses: Facts<IngressFacts>;
}

export type FactKind = keyof ClusterFacts;
