import { pinOf, type WorkloadDefinition, type WorkloadInstance, type WorkloadPlacement } from "@bowline/api";

/** A workload on its way to its clusters, as far as the server has told. */
export interface Rollout {
  readonly instance: WorkloadInstance | undefined;
  readonly definition: WorkloadDefinition | undefined;
  readonly placements: ReadonlyMap<string, WorkloadPlacement>;
}

/**
 * - `ready`: what the definition says now, or the revision that the instance stays at, is applied and healthy everywhere
 * - `progressing`: not yet, or not any more; it may become ready by itself
 * - `stuck`: it will not without somebody who does something
 */
export interface RolloutState {
  readonly state: "ready" | "progressing" | "stuck";
  readonly reason: string;
  readonly message: string;
}

/** Reasons that only a person ends. */
const stuckReasons: ReadonlySet<string> = new Set([
  "ClusterNotFound",
  "DefinitionNotFound",
  "DefinitionNotReady",
  "InvalidParameters",
  "NoClusters",
  "NotGranted",
  "PlacementHeld",
  "PruneHeld",
  "WaitingForApproval",
]);

/** Reasons for which an object is refused until somebody changes it, or the cluster. */
const refusals: ReadonlySet<string> = new Set([
  "AdmissionDenied",
  "FieldConflict",
  "Forbidden",
  "ImmutableField",
  "Invalid",
  "OwnedByOther",
  "Refused",
  "RenderFailed",
  "TooLarge",
  "UnknownKind",
]);

/**
 * The state of a rollout. `Ready` of the instance is not enough: right after the definition has changed, it is still
 * about the revision before.
 */
export function rolloutState({ instance, definition, placements }: Rollout): RolloutState {
  if (instance === undefined) return progressing("Waiting", "the server has not told yet");
  const unresolved = definition === undefined ? undefined : resolutionState(definition);
  if (unresolved !== undefined) return unresolved;
  const { status, metadata } = instance;
  const ready = status.conditions.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.observedGeneration < metadata.generation) {
    return progressing("Progressing", "its clusters are being worked out");
  }
  const revision = wantedRevision(instance, definition);
  if (ready.status !== "True") {
    const isRefused = [...placements.values()].some((placement) => refusesRevision(placement, revision));
    const isStuck = ready.status === "False" && (stuckReasons.has(ready.reason) || isRefused);
    return { state: isStuck ? "stuck" : "progressing", reason: ready.reason, message: ready.message };
  }
  const behind = status.clusters.filter((cluster) => cluster.revision !== revision);
  if (revision !== undefined && behind.length > 0) {
    return progressing(
      "Progressing",
      `${behind.length} of ${status.clusterCount} clusters have another revision`,
    );
  }
  return { state: "ready", reason: ready.reason, message: ready.message };
}

/** The revision that clusters should have: after a rollback, the one that it went back to. */
function wantedRevision(
  instance: WorkloadInstance | undefined,
  definition: WorkloadDefinition | undefined,
): string | undefined {
  const pin = instance === undefined ? undefined : pinOf(instance, { status: definition?.status });
  return pin ?? definition?.status.revision?.id;
}

/** Whether a cluster has refused something of this revision, and not of the one before that somebody has mended. */
function refusesRevision(
  { metadata, spec, status }: WorkloadPlacement,
  revision: string | undefined,
): boolean {
  const ready = status.conditions.find(({ type }) => type === "Ready");
  const isCurrent = spec.revision === revision && ready?.observedGeneration === metadata.generation;
  const failed = status.resources.filter(({ state }) => state === "failed");
  return isCurrent && failed.length > 0 && failed.every(({ reason = "" }) => refusals.has(reason));
}

/** The state of a definition whose content is not known to the server; undefined when it is. */
function resolutionState({ metadata, status }: WorkloadDefinition): RolloutState | undefined {
  const ready = status.conditions.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.observedGeneration < metadata.generation) {
    return progressing("Resolving", "the manifests are being read");
  }
  if (ready.status === "True") return undefined;
  const state = ready.status === "False" ? "stuck" : "progressing";
  return { state, reason: ready.reason, message: ready.message };
}

function progressing(reason: string, message: string): RolloutState {
  return { state: "progressing", reason, message };
}

/** One line for each cluster, and below it one for each resource that the current revision has there. */
export function rolloutLines({ instance, definition, placements }: Rollout): RolloutLine[] {
  const revision = wantedRevision(instance, definition);
  const clusters = (instance?.status.clusters ?? []).toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1));
  const byCluster = new Map([...placements.values()].map((placement) => [placement.spec.cluster, placement]));
  return clusters.flatMap((status) => {
    const line = clusterLine(status, revision);
    const placement = byCluster.get(status.cluster);
    const isCurrent = revision === undefined || placement?.spec.revision === revision;
    return placement === undefined || !isCurrent ? [line] : [line, ...resourceLines(placement)];
  });
}

type ClusterStatus = WorkloadInstance["status"]["clusters"][number];

/** A cluster that is ready with the revision before is not where it should be. */
function clusterLine(status: ClusterStatus, revision: string | undefined): RolloutLine {
  const { cluster, ready, reason = "Progressing", message = "", healthyCount, resourceCount } = status;
  const counts = resourceCount === 0 ? "" : `${healthyCount} of ${resourceCount} resources are healthy`;
  const line = { key: cluster, subject: cluster };
  if (ready !== "True") return { ...line, state: reason, why: `${message}${counts && ` (${counts})`}` };
  const isBehind = revision !== undefined && status.revision !== revision;
  if (isBehind) return { ...line, state: "Progressing", why: "It has another revision." };
  return { ...line, state: "Ready", why: counts };
}

export interface RolloutLine {
  /** The same for each line about the same thing. */
  readonly key: string;
  readonly subject: string;
  /** One word. */
  readonly state: string;
  /** May be empty. */
  readonly why: string;
}

type Resource = WorkloadPlacement["status"]["resources"][number];

/** Until the current spec has been applied once, the resources are those of the revision before. */
function resourceLines({ spec, status, metadata }: WorkloadPlacement): RolloutLine[] {
  const applied = status.conditions.find(({ type }) => type === "Applied");
  if (applied === undefined || applied.observedGeneration < metadata.generation) return [];
  return status.resources.map((resource) => ({
    key: JSON.stringify([spec.cluster, resource.group, resource.kind, resource.namespace, resource.name]),
    subject: `${spec.cluster}: ${resourceLabel(resource)}`,
    ...resourceState(resource),
  }));
}

/** `Deployment shop/web`. */
export function resourceLabel({
  kind,
  namespace,
  name,
}: Pick<Resource, "kind" | "namespace" | "name">): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** How far a resource got; once it is applied, how it does. */
function resourceState(resource: Resource): Pick<RolloutLine, "state" | "why"> {
  const { state, reason, message, health, healthReason, healthMessage } = resource;
  if (state !== "applied") return { state, why: joined(reason, message) };
  return { state: health, why: health === "Healthy" ? "" : joined(healthReason, healthMessage) };
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(", ");
}
