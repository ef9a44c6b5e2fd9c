import { revisionHashLabel } from "../controller-revisions.ts";
import { templateGenerationAnnotation } from "../../store/kinds/daemon-set.ts";
import type { NewObject } from "../../store/sim-api.ts";
import type { Node } from "../kinds/node.ts";
import type { Affinity, Pod, PodSpec, Toleration } from "../kinds/pod.ts";
import type { DaemonSet } from "../kinds/workloads.ts";
import { podFromTemplate, templateHash } from "../pods/pod-template.ts";
import { matchesNodeAffinity, pinnedNode } from "../scheduler/node-affinity.ts";
import { untoleratedTaint } from "../scheduler/taints.ts";

/** A daemon stays where other pods would have to go. */
const daemonTolerations: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

/** The pod of a DaemonSet for one node; the scheduler binds it there and nowhere else. */
export function daemonPod(set: DaemonSet, nodeName: string): NewObject {
  const { template } = set.spec;
  return podFromTemplate(set, template, {
    labels: {
      [revisionHashLabel]: templateHash(template),
      "pod-template-generation": set.metadata.annotations?.[templateGenerationAnnotation] ?? "1",
    },
    spec: {
      ...template.spec,
      affinity: pinnedAffinity(template.spec.affinity, nodeName),
      tolerations: tolerationsOf(template.spec),
    },
  });
}

/** The node a daemon's pod is on, or on its way to. */
export function daemonNode(pod: Pod): string | undefined {
  return pod.spec.nodeName ?? pinnedNode(pod.spec);
}

/** Whether a node should get a pod, and whether one that is there may stay. */
export function daemonFits(set: DaemonSet, node: Node): { runs: boolean; stays: boolean } {
  const { spec } = set.spec.template;
  if (!matchesNodeAffinity(spec, node)) return { runs: false, stays: false };
  const tolerations = tolerationsOf(spec);
  const stays = untoleratedTaint(node.spec?.taints, tolerations, ["NoExecute"]) === undefined;
  const runs = stays && untoleratedTaint(node.spec?.taints, tolerations, ["NoSchedule"]) === undefined;
  return { runs, stays };
}

function tolerationsOf(spec: PodSpec): Toleration[] {
  const hostOnly: Toleration[] =
    spec.hostNetwork === true
      ? [{ key: "node.kubernetes.io/network-unavailable", operator: "Exists", effect: "NoSchedule" }]
      : [];
  return [...(spec.tolerations ?? []), ...daemonTolerations, ...hostOnly];
}

function pinnedAffinity(affinity: Affinity | undefined, nodeName: string): Affinity {
  const pin = { key: "metadata.name", operator: "In", values: [nodeName] } as const;
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ ...pin, values: [...pin.values] }] }],
      },
    },
  };
}
