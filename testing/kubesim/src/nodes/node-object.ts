import type { Condition } from "../controllers/kinds/meta.ts";
import type { NodeStatus } from "../controllers/kinds/node.ts";
import { amountOf } from "../controllers/quantity.ts";
import { timestamp } from "../controllers/timestamps.ts";
import type { NewObject } from "../store/sim-api.ts";
import type { SimNode } from "./sim-node.ts";

const reservedMemoryKi = 100 * 1024;

/** The Node a kubelet registers when it starts. */
export function nodeObject(node: SimNode): NewObject {
  const { zone = "zone-a", labels } = node.options;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: node.name,
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": node.name,
        "kubernetes.io/os": "linux",
        "topology.kubernetes.io/region": "sim",
        "topology.kubernetes.io/zone": zone,
        ...labels,
      },
      annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true" },
    },
    spec: {
      podCIDR: node.addresses.cidr,
      podCIDRs: [node.addresses.cidr],
      providerID: `kubesim://${node.name}`,
    },
  };
}

export function nodeStatus(
  node: SimNode,
  version: string,
  previous: NodeStatus | undefined,
  nowMs: number,
): NodeStatus {
  const { cpu = "8", memory = "32Gi", pods = 110 } = node.options;
  const memoryKi = Math.floor(amountOf(memory) / 1024);
  const capacity = { cpu, "ephemeral-storage": "102350Mi", memory: `${memoryKi}Ki`, pods: String(pods) };
  return {
    capacity,
    allocatable: { ...capacity, memory: `${Math.max(0, memoryKi - reservedMemoryKi)}Ki` },
    conditions: nodeConditions(previous?.conditions, nowMs),
    addresses: [
      { type: "InternalIP", address: node.hostIp },
      { type: "Hostname", address: node.name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: "amd64",
      bootID: "5f0c3c1e-0f5d-4c0e-9d52-6f1a7c9f3a01",
      containerRuntimeVersion: "containerd://1.7.22",
      kernelVersion: "6.1.0-26-amd64",
      kubeProxyVersion: version,
      kubeletVersion: version,
      machineID: node.name,
      operatingSystem: "linux",
      osImage: "Debian GNU/Linux 12 (bookworm)",
      systemUUID: node.name,
    },
    images: [],
  };
}

const healthy = [
  ["MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ["DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
  ["Ready", "True", "KubeletReady", "kubelet is posting ready status"],
] as const;

function nodeConditions(previous: readonly Condition[] | undefined, nowMs: number): Condition[] {
  const time = timestamp(nowMs);
  return healthy.map(([type, status, reason, message]) => {
    const before = previous?.find((each) => each.type === type);
    const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? time) : time;
    return { type, status, lastHeartbeatTime: time, lastTransitionTime, reason, message };
  });
}
