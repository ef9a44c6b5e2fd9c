import type { KubeObject } from "@bowline/kube";

/** As Prometheus's discovery over HTTP takes them. */
export interface TargetGroup {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

interface Port {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
}

interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly protocol?: string;
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly ports?: readonly ContainerPort[];
}

export interface Pod extends KubeObject {
  readonly spec: { readonly nodeName?: string; readonly containers: readonly Container[] };
  readonly status: {
    readonly podIP?: string;
    readonly hostIP?: string;
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

interface Address {
  readonly ip: string;
  readonly nodeName?: string;
  readonly targetRef?: { readonly kind: string; readonly name: string };
}

export interface Endpoints extends KubeObject {
  readonly subsets?: readonly {
    readonly addresses?: readonly Address[];
    readonly notReadyAddresses?: readonly Address[];
    readonly ports?: readonly Port[];
  }[];
}

/** Objects that discovery reads for the role `endpoints`. */
interface EndpointsObjects {
  readonly endpoints: readonly Endpoints[];
  readonly services: readonly KubeObject[];
  readonly pods: readonly Pod[];
}

/** The role `pod`: a target for each port of each container, and one for a container without ports. */
export function podTargets(pods: readonly Pod[]): TargetGroup[] {
  return pods
    .filter(({ status }) => status.podIP !== undefined)
    .flatMap((pod) =>
      pod.spec.containers.flatMap((container) =>
        (container.ports ?? [undefined]).map((port) => ({
          targets: [address(pod.status.podIP ?? "", port?.containerPort)],
          labels: { ...podLabels(pod), ...containerLabels(container, port) },
        })),
      ),
    );
}

/** The role `endpoints`: a target for each address and port, and for the ports of its pods that no service names. */
export function endpointsTargets({ endpoints, services, pods }: EndpointsObjects): TargetGroup[] {
  return endpoints.flatMap((object) => {
    const { namespace = "", name = "" } = object.metadata;
    const isNamesake = ({ metadata }: KubeObject): boolean =>
      metadata.name === name && metadata.namespace === namespace;
    const service = services.find(isNamesake);
    const shared = {
      __meta_kubernetes_namespace: namespace,
      __meta_kubernetes_endpoints_name: name,
      ...(service === undefined ? {} : metadataLabels("service", service)),
    };
    const podsHere = pods.filter(({ metadata }) => metadata.namespace === namespace);
    return (object.subsets ?? []).flatMap((subset) => {
      const ready = (subset.addresses ?? []).map((each) => ({ ...each, isReady: true }));
      const others = (subset.notReadyAddresses ?? []).map((each) => ({ ...each, isReady: false }));
      return [...ready, ...others].flatMap((each) =>
        addressTargets(each, subset.ports ?? [], podsHere).map(({ targets, labels }) => ({
          targets,
          labels: { ...shared, ...labels },
        })),
      );
    });
  });
}

function addressTargets(
  { ip, nodeName, targetRef, isReady }: Address & { readonly isReady: boolean },
  ports: readonly Port[],
  pods: readonly Pod[],
): TargetGroup[] {
  const pod =
    targetRef?.kind === "Pod" ? pods.find(({ metadata }) => metadata.name === targetRef.name) : undefined;
  const named = ports.map(({ name, port, protocol = "TCP" }) => ({
    targets: [address(ip, port)],
    labels: {
      __meta_kubernetes_endpoint_port_name: name ?? "",
      __meta_kubernetes_endpoint_port_protocol: protocol,
      __meta_kubernetes_endpoint_ready: String(isReady),
      ...optional("__meta_kubernetes_endpoint_node_name", nodeName),
      ...optional("__meta_kubernetes_endpoint_address_target_kind", targetRef?.kind),
      ...optional("__meta_kubernetes_endpoint_address_target_name", targetRef?.name),
      ...(pod === undefined ? {} : { ...podLabels(pod), ...portLabels(pod, port) }),
    },
  }));
  const taken = new Set(named.flatMap(({ targets }) => targets));
  const rest = podTargets(pod === undefined ? [] : [pod]).filter(({ targets }) =>
    targets.every((target) => target.includes(":") && !taken.has(target)),
  );
  return [...named, ...rest];
}

function podLabels(pod: Pod): Record<string, string> {
  const { podIP, hostIP, phase, conditions = [] } = pod.status;
  return {
    __meta_kubernetes_namespace: pod.metadata.namespace ?? "",
    ...metadataLabels("pod", pod),
    ...optional("__meta_kubernetes_pod_ip", podIP),
    ...optional("__meta_kubernetes_pod_host_ip", hostIP),
    ...optional("__meta_kubernetes_pod_phase", phase),
    ...optional("__meta_kubernetes_pod_node_name", pod.spec.nodeName),
    ...optional("__meta_kubernetes_pod_uid", pod.metadata.uid),
    __meta_kubernetes_pod_ready:
      conditions.find(({ type }) => type === "Ready")?.status.toLowerCase() ?? "unknown",
  };
}

/** The container behind a port of a pod. */
function portLabels(pod: Pod, port: number): Record<string, string> {
  for (const container of pod.spec.containers) {
    const found = container.ports?.find(({ containerPort }) => containerPort === port);
    if (found !== undefined) return containerLabels(container, found);
  }
  return {};
}

function containerLabels(container: Container, port: ContainerPort | undefined): Record<string, string> {
  const labels = {
    __meta_kubernetes_pod_container_name: container.name,
    __meta_kubernetes_pod_container_image: container.image,
    __meta_kubernetes_pod_container_init: "false",
  };
  if (port === undefined) return labels;
  return {
    ...labels,
    __meta_kubernetes_pod_container_port_name: port.name ?? "",
    __meta_kubernetes_pod_container_port_number: String(port.containerPort),
    __meta_kubernetes_pod_container_port_protocol: port.protocol ?? "TCP",
  };
}

function metadataLabels(kind: "pod" | "service", { metadata }: KubeObject): Record<string, string> {
  const prefix = `__meta_kubernetes_${kind}`;
  const labels = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    const name = key.replaceAll(/[^a-zA-Z0-9_]/gu, "_");
    return [
      [`${prefix}_label_${name}`, value],
      [`${prefix}_labelpresent_${name}`, "true"],
    ];
  });
  return { [`${prefix}_name`]: metadata.name ?? "", ...Object.fromEntries(labels) };
}

function optional(label: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [label]: value };
}

function address(ip: string, port: number | undefined): string {
  return port === undefined ? ip : `${ip}:${port}`;
}
