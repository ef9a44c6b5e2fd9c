import type { KubeObject } from "../index.ts";

/** An object of a cluster, whatever is in it. */
export interface ClusterObject extends KubeObject {
  readonly spec?: object;
  readonly status?: object;
}

type Labels = Readonly<Record<string, string>>;

function clusterObject(kind: string, id: string, labels: Labels, rest: object): ClusterObject {
  const [namespace = "", name = ""] = id.split("/");
  return { kind, metadata: { namespace, name, labels }, ...rest };
}

export function service(id: string, labels: Labels = { app: "web" }): ClusterObject {
  return clusterObject("Service", id, labels, {});
}

interface Port {
  readonly name?: string;
  readonly port?: number;
}

/** Each address is that of the pod that it names: `10.0.0.1 web-1`, or of none. */
export interface Subset {
  readonly ready?: readonly string[];
  readonly notReady?: readonly string[];
  readonly ports?: readonly Port[];
}

export function endpoints(id: string, ...subsets: readonly Subset[]): ClusterObject {
  const address = (text: string): object => {
    const [ip, pod] = text.split(" ");
    return { ip, ...(pod === undefined ? {} : { targetRef: { kind: "Pod", name: pod } }) };
  };
  return clusterObject(
    "Endpoints",
    id,
    {},
    {
      subsets: subsets.map(({ ready = [], notReady = [], ports = [] }) => ({
        addresses: ready.map(address),
        notReadyAddresses: notReady.map(address),
        ports,
      })),
    },
  );
}

/** A slice of a Service; the same addresses as in `endpoints`. */
export function endpointSlice(
  id: string,
  serviceName: string | undefined,
  { ready = [], notReady = [], ports = [] }: Subset,
): ClusterObject {
  const labels: Labels = serviceName === undefined ? {} : { "kubernetes.io/service-name": serviceName };
  const all = [
    ...ready.map((text) => [text, true] as const),
    ...notReady.map((text) => [text, false] as const),
  ];
  return clusterObject("EndpointSlice", id, labels, {
    ports,
    endpoints: all.map(([text, isReady]) => {
      const [ip = "", pod] = text.split(" ");
      const targetRef = pod === undefined ? {} : { targetRef: { kind: "Pod", name: pod } };
      return { addresses: [ip], conditions: { ready: isReady }, ...targetRef };
    }),
  });
}

export interface PodParts {
  readonly ip?: string;
  readonly phase?: string;
  readonly labels?: Labels;
  /** The ports of each container: `web:8080`, or `:8080` for one without a name. */
  readonly containers?: readonly (readonly string[])[];
  readonly initContainers?: readonly (readonly string[])[];
}

export function pod(id: string, parts: PodParts = {}): ClusterObject {
  const { ip = "10.0.0.1", phase = "Running", labels = { app: "web" } } = parts;
  const { containers = [["web:8080"]], initContainers = [] } = parts;
  const asContainer = (ports: readonly string[], index: number): object => ({
    name: `c${index}`,
    ports: ports.map((text) => {
      const [name = "", number] = text.split(":");
      return { ...(name === "" ? {} : { name }), containerPort: Number(number) };
    }),
  });
  return clusterObject("Pod", id, labels, {
    spec: {
      containers: containers.map(asContainer),
      initContainers: initContainers.map((ports, index) => asContainer(ports, index + containers.length)),
    },
    status: { phase, ...(ip === "" ? {} : { podIP: ip }) },
  });
}

/** Rules as `example.com/a` and `example.com/b`, each one with its own path. */
export function ingress(id: string, ...rules: readonly object[]): ClusterObject {
  return clusterObject("Ingress", id, { app: "web" }, { spec: { rules } });
}
