/** Where an object belongs in the order: what it is, not what it is called. */
export interface GroupKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
}

const rbac = "rbac.authorization.k8s.io";

/** What others are made of or live in. They are applied first, and waited for. */
const foundations = ranks([
  ["apiextensions.k8s.io", "CustomResourceDefinition"],
  ["", "Namespace"],
  [rbac, "ClusterRole"],
]);

/** Kinds that others use, before those that use them; a kind that is not here comes after these. */
const early = ranks([
  ["", "ResourceQuota"],
  ["", "LimitRange"],
  ["networking.k8s.io", "NetworkPolicy"],
  ["policy", "PodSecurityPolicy"],
  ["", "ServiceAccount"],
  [rbac, "Role"],
  [rbac, "ClusterRoleBinding"],
  [rbac, "RoleBinding"],
  ["", "ConfigMap"],
  ["", "Secret"],
  ["", "PersistentVolume"],
  ["", "PersistentVolumeClaim"],
  ["", "Service"],
  ["policy", "PodDisruptionBudget"],
  ["apps", "DaemonSet"],
  ["", "Pod"],
  ["", "ReplicationController"],
  ["apps", "ReplicaSet"],
  ["apps", "Deployment"],
  ["apps", "StatefulSet"],
  ["batch", "Job"],
  ["batch", "CronJob"],
  ["autoscaling", "HorizontalPodAutoscaler"],
  ["networking.k8s.io", "Ingress"],
]);

/** What reaches into requests for other objects. Their service must run before they do, or they refuse it its pods. */
const late = ranks([
  ["apiregistration.k8s.io", "APIService"],
  ["admissionregistration.k8s.io", "ValidatingAdmissionPolicy"],
  ["admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"],
  ["admissionregistration.k8s.io", "MutatingAdmissionPolicy"],
  ["admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"],
  ["admissionregistration.k8s.io", "ValidatingWebhookConfiguration"],
  ["admissionregistration.k8s.io", "MutatingWebhookConfiguration"],
]);

function ranks(kinds: readonly (readonly [group: string, kind: string])[]): ReadonlyMap<string, number> {
  return new Map(kinds.map(([group, kind], index) => [`${group}/${kind}`, index]));
}

/**
 * The order to apply in: stages of which each waits for the one before it, and no stage empty. Definitions, namespaces
 * and cluster roles; then classes, such as StorageClass; then the rest. Within a stage kinds that others use come first,
 * and what is equal stays in the order of the text.
 */
export function applyStages<T>(items: readonly T[], groupKindOf: (item: T) => GroupKind): T[][] {
  const placed = items
    .map((item) => ({ item, ...placeOf(groupKindOf(item)) }))
    .toSorted((a, b) => a.stage - b.stage || a.rank - b.rank);
  return [0, 1, 2]
    .map((stage) => placed.filter((entry) => entry.stage === stage).map(({ item }) => item))
    .filter(({ length }) => length > 0);
}

/**
 * The order to delete in: that of applying, backwards. There are more stages: webhooks go before the services that answer
 * them, objects of other kinds before the programs that remove their finalizers, and higher waves before lower ones.
 */
export function deleteStages<T>(
  items: readonly T[],
  groupKindOf: (item: T) => GroupKind,
  waveOf: (item: T) => number = () => 0,
): T[][] {
  const forwards = applyStages(items, groupKindOf).flatMap((stage) =>
    stage.toSorted((a, b) => waveOf(a) - waveOf(b)),
  );
  const keyOf = (item: T): string => `${waveOf(item)} ${deleteStageOf(groupKindOf(item))}`;
  return [...Map.groupBy(forwards.toReversed(), keyOf).values()];
}

function deleteStageOf(groupKind: GroupKind): string {
  const { stage, rank } = placeOf(groupKind);
  return `${stage} ${stage < 2 ? 0 : Math.sign(rank - early.size)}`;
}

/** The stage that a kind belongs to, from 0; an order of its own, whether or not there is anything in the others. */
export function stageOf(groupKind: GroupKind): number {
  return placeOf(groupKind).stage;
}

function placeOf({ group, kind }: GroupKind): { readonly stage: number; readonly rank: number } {
  const key = `${group}/${kind}`;
  const foundation = foundations.get(key);
  if (foundation !== undefined) return { stage: 0, rank: foundation };
  if (kind.endsWith("Class")) return { stage: 1, rank: 0 };
  const rank = early.get(key);
  if (rank !== undefined) return { stage: 2, rank };
  const lateRank = late.get(key);
  return { stage: 2, rank: early.size + (lateRank === undefined ? 0 : 1 + lateRank) };
}
