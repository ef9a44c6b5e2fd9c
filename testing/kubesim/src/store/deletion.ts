import { timestamp } from "./object-meta.ts";
import type { ResourceType } from "./resource-type.ts";
import type { SimDeleteOptions, SimObject, SimObjectMeta } from "./sim-api.ts";
import { readNumber, readString, readStrings } from "./json-value.ts";
import { conflict } from "./status-errors.ts";

/** A delete as a client may ask for it. */
export interface DeleteOptions extends SimDeleteOptions {
  readonly resourceVersion?: string;
  readonly dryRun?: boolean;
}

export const orphanFinalizer = "orphan";
export const foregroundFinalizer = "foregroundDeletion";

/**
 * What a delete does to an object:
 * - `remove`: it goes at once;
 * - `mark`: it stays, marked with `deletionTimestamp`, until finalizers or the kubelet let it go;
 * - `pending`: it is already on its way and nothing changes.
 */
export type DeletionStep =
  | { readonly step: "remove" }
  | { readonly step: "mark"; readonly object: SimObject }
  | { readonly step: "pending" };

export function planDeletion(
  type: ResourceType,
  live: SimObject,
  options: DeleteOptions,
  nowMs: number,
): DeletionStep {
  checkPreconditions(type, live, options);
  const finalizers = finalizersAfterDelete(type, live, options);
  const graceSeconds = gracePeriod(type, live, options);
  const { deletionTimestamp, deletionGracePeriodSeconds } = live.metadata;

  if (deletionTimestamp !== undefined) {
    const running = deletionGracePeriodSeconds ?? 0;
    if (running > 0 && (options.gracePeriodSeconds === undefined || graceSeconds >= running))
      return { step: "pending" };
    if (finalizers.length === 0 && graceSeconds === 0) return { step: "remove" };
    const shortened = running > graceSeconds;
    if (!shortened && sameList(finalizers, live.metadata.finalizers ?? [])) return { step: "pending" };
    const startMs = Date.parse(deletionTimestamp) - running * 1000;
    return mark(
      live,
      finalizers,
      shortened ? { atMs: startMs + graceSeconds * 1000, graceSeconds } : undefined,
    );
  }
  if (finalizers.length === 0 && graceSeconds === 0) return { step: "remove" };
  return mark(live, finalizers, { atMs: nowMs + graceSeconds * 1000, graceSeconds, first: true });
}

/** Whether an object that was marked may go now. */
export function deletionFinished(object: SimObject): boolean {
  const { deletionTimestamp, finalizers, deletionGracePeriodSeconds } = object.metadata;
  if (object.kind === "Namespace" && readStrings(object, "spec.finalizers").length > 0) return false;
  return deletionTimestamp !== undefined && !finalizers?.length && !deletionGracePeriodSeconds;
}

interface Deadline {
  readonly atMs: number;
  readonly graceSeconds: number;
  readonly first?: boolean;
}

function mark(live: SimObject, finalizers: readonly string[], deadline: Deadline | undefined): DeletionStep {
  const { finalizers: _old, ...rest } = live.metadata;
  const metadata: SimObjectMeta = {
    ...rest,
    ...(finalizers.length > 0 ? { finalizers: [...finalizers] } : {}),
  };
  if (deadline) {
    metadata.deletionTimestamp = timestamp(deadline.atMs);
    metadata.deletionGracePeriodSeconds = deadline.graceSeconds;
    if (deadline.first && metadata.generation !== undefined) metadata.generation += 1;
  }
  return { step: "mark", object: { ...live, metadata } };
}

function checkPreconditions(type: ResourceType, live: SimObject, options: DeleteOptions): void {
  const target = { group: type.group, resource: type.kind };
  const { uid, name, resourceVersion } = live.metadata;
  if (options.uid !== undefined && options.uid !== uid) {
    throw conflict(
      target,
      name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    throw conflict(
      target,
      name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

/** Only pods leave slowly, and only those that a kubelet runs. */
function gracePeriod(type: ResourceType, live: SimObject, options: DeleteOptions): number {
  if (type.key !== "pods") return 0;
  const phase = readString(live, "status.phase");
  if (!readString(live, "spec.nodeName") || phase === "Succeeded" || phase === "Failed") return 0;
  return Math.max(
    0,
    options.gracePeriodSeconds ?? readNumber(live, "spec.terminationGracePeriodSeconds") ?? 30,
  );
}

/** The garbage collector's finalizers say what becomes of the dependents. */
function finalizersAfterDelete(type: ResourceType, live: SimObject, options: DeleteOptions): string[] {
  const current = live.metadata.finalizers ?? [];
  const others = current.filter((each) => each !== orphanFinalizer && each !== foregroundFinalizer);
  if (options.propagation === "Orphan") return [...others, orphanFinalizer];
  if (options.propagation === "Foreground") return [...others, foregroundFinalizer];
  if (options.propagation === "Background") return others;
  // Nothing said: what was decided before stands, then the habit of the kind.
  if (others.length < current.length) return [...current];
  return orphansByDefault.has(type.key) ? [...others, orphanFinalizer] : others;
}

/** Kinds older than garbage collection keep their pods unless the client says otherwise. */
const orphansByDefault = new Set(["jobs.batch", "replicationcontrollers"]);

function sameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
