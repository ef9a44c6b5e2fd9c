import type { ClusterFacts, GivenParameter, ManifestObject, ObjectPatch } from "@bowline/manifests";

/** What an instance wants in one cluster. */
export interface Workload {
  /** The id of the revision. */
  readonly revision: string;
  /** The objects of the revision, before parameters are filled in. */
  readonly objects: readonly ManifestObject[];
  readonly parameters: ReadonlyMap<string, GivenParameter>;
  readonly cluster: ClusterFacts;
  /** Changes to the objects in this cluster, after parameters are filled in. */
  readonly patches?: readonly ObjectPatch[] | undefined;
  /** Where objects go that name no namespace. */
  readonly namespace: string;
  readonly policy: WorkloadPolicy;
}

export interface WorkloadPolicy {
  /** Without it nothing is deleted: what is not wanted any more is kept. */
  readonly prune: boolean;
  readonly pruneLimit: PruneLimit;
  /** Somebody has approved what this revision deletes, however much it is. */
  readonly isPruneApproved: boolean;
  readonly conflicts: ConflictPolicy;
  /** Managers that `takeover` takes from as well: tools that had these objects before. */
  readonly takeoverFrom?: readonly string[] | undefined;
  readonly ignore: readonly IgnoreRule[];
}

/** More than the larger of both are not deleted without an approval. */
export interface PruneLimit {
  readonly count: number;
  readonly percent: number;
}

/**
 * Fields that somebody else has set to another value:
 *
 * - `takeover`: taken from kubectl and Helm, by which people set things by hand; those of programs are a failure
 * - `fail`: taken from nobody
 * - `leave`: left to whoever has set them
 */
export type ConflictPolicy = "takeover" | "fail" | "leave";

/** Fields of objects that are left to others. */
export interface IgnoreRule {
  /** Any group when it is left out; empty for the core group. */
  readonly group?: string | undefined;
  readonly kind: string;
  readonly name?: string | undefined;
  /** `spec.replicas`, `metadata.annotations["example.com/note"]`, `spec.template.spec.containers[name="web"].image`. */
  readonly paths: readonly string[];
}

/** Our name as a manager of fields. */
export const fieldManager = "bowline";

/** The label that names the instance on each of its objects. */
export const instanceLabel = "bowline.dev/instance";
