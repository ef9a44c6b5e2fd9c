import { createHash } from "node:crypto";

import type { KubeObject, ObjectMeta } from "@bowline/kube";

import { grafanaAgents, type MetricsAgent } from "./kinds.ts";

/** All that a name is made from. */
interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Names of pods, Services and labels hold 63 characters; a StatefulSet needs some of them for its pods. */
const maxBaseLength = 40;

/**
 * The beginning of the name of everything an agent owns; agents of two kinds may have one name. A name that is too
 * long, or has dots, which a Service must not have, is cut and told from others by a hash.
 */
export function baseName({ kind, metadata }: Named): string {
  const name = `${kind === grafanaAgents.kind ? "grafana-agent" : "metrics"}-${metadata.name}`;
  if (name.length <= maxBaseLength && !name.includes(".")) return name;
  const hash = createHash("sha256").update(metadata.name).digest("hex").slice(0, 10);
  const cut = name.slice(0, maxBaseLength - hash.length - 1).replaceAll(".", "-");
  return `${cut.replace(/-+$/u, "")}-${hash}`;
}

/**
 * Every name but the Service's ends in what it is and a number, also where there is only one: were the first shard of
 * `web` called as `web` itself, the second could be called as the first of an agent `web-shard-1`.
 */
export const objectNames = {
  service: (agent: Named): string => baseName(agent),
  statefulSet: (agent: Named, shard: number): string => `${baseName(agent)}-shard-${shard}`,
  config: (agent: Named, part: number): string => `${baseName(agent)}-config-${part}`,
  files: (agent: Named, part: number): string => `${baseName(agent)}-files-${part}`,
  report: (agent: Named): string => `${baseName(agent)}-status`,
} as const;

const managedBy = "app.kubernetes.io/managed-by";
const operatorName = "bowline-operator";
const agentLabel = "monitoring.bowline.dev/agent";
const shardLabel = "monitoring.bowline.dev/shard";

/** Selects what operators own, of all agents. */
export const ownedSelector = `${managedBy}=${operatorName}`;

/** Labels that the pods of an agent share. They never change, as the selector of a StatefulSet cannot. */
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

/** Whether the object may be deleted: it carries our label, and the agent controls it. */
export function isPrunable(agent: MetricsAgent, object: Pick<KubeObject, "metadata">): boolean {
  return object.metadata.labels?.[managedBy] === operatorName && isControlledBy(agent, object);
}
