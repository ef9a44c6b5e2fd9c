import type { KubeObject, ObjectMeta } from "@bowline/kube";

import type { MetricsAgent } from "../api/metrics-agent.ts";
import { baseName } from "./agent-names.ts";

const managedBy = "app.kubernetes.io/managed-by";
const operatorName = "bowline-operator";
const agentLabel = "monitoring.bowline.dev/agent";
const shardLabel = "monitoring.bowline.dev/shard";

/** Selects what operators own, of all agents. */
export const ownedSelector = `${managedBy}=${operatorName}`;

/** What the pods of an agent have in common. Never changes: a StatefulSet cannot change whom it selects. */
export function podLabels(agent: MetricsAgent, shard?: number): Record<string, string> {
  return {
    "app.kubernetes.io/name": "bowline-metrics-agent",
    [agentLabel]: baseName(agent),
    ...(shard === undefined ? {} : { [shardLabel]: String(shard) }),
  };
}

/** The metadata of an object of an agent. It goes when the agent goes, by Kubernetes' own garbage collection. */
export function ownedMetadata(agent: MetricsAgent, name: string, shard?: number): ObjectMeta {
  return {
    name,
    namespace: agent.metadata.namespace,
    labels: { ...podLabels(agent, shard), [managedBy]: operatorName },
    ownerReferences: [
      {
        apiVersion: agent.apiVersion,
        kind: agent.kind,
        name: agent.metadata.name,
        uid: agent.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  };
}

/** Whether the agent controls it. The UID counts: another agent may have had the same name. */
export function isControlledBy(agent: MetricsAgent, { metadata }: Pick<KubeObject, "metadata">): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ controller, uid }) => controller === true && uid === agent.metadata.uid,
  );
}

/** What may be deleted: it carries our label, and the agent controls it. */
export function isPrunable(agent: MetricsAgent, object: Pick<KubeObject, "metadata">): boolean {
  return object.metadata.labels?.[managedBy] === operatorName && isControlledBy(agent, object);
}
