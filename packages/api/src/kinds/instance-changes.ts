import type { WorkloadDefinition } from "./workload-definition.ts";
import type { WorkloadInstance } from "./workload-instance.ts";

/**
 * What people ask of an instance by name, as merge patches of its spec: command lines and the console write the same.
 */
type Instance = Pick<WorkloadInstance, "spec" | "status">;

/** As much of a revision as is needed to go back to it. */
export interface KnownRevision {
  readonly id: string;
  /** Whether it is what the definition says now. */
  readonly current: boolean;
}

/** As many as an instance remembers. */
const maxRejected = 100;

/** The revision that an instance stays at; a rollback ends with the first revision that was not left by it. */
export function pinOf(
  { spec }: Pick<WorkloadInstance, "spec">,
  { status }: { readonly status: WorkloadDefinition["status"] | undefined },
): string | undefined {
  if (spec.revision === undefined) return undefined;
  const { pin, rejected } = spec.revision;
  const newest = status?.revision?.id;
  return rejected.length === 0 || newest === undefined || rejected.includes(newest) ? pin : undefined;
}

/** Agrees to a revision: to what it deletes, to its author, and to the wave of its rollout that waits. */
export function approveChange(instance: Instance, revision: string): object {
  return approval(instance, revision, { wave: waitingWave(instance, revision) });
}

/** The wave that waits for somebody to agree; undefined when none does. */
function waitingWave({ status: { rollout } }: Instance, revision: string): number | undefined {
  return rollout?.phase === "WaitingForApproval" && rollout.revision === revision ? rollout.wave : undefined;
}

/** Whether all that could be agreed to for a revision has been. */
export function isApproved(instance: Instance, revision: string): boolean {
  const { approved } = instance.spec;
  return approved?.revision === revision && (approved.wave ?? 0) >= (waitingWave(instance, revision) ?? 0);
}

/** Leaves the clusters as they are. */
export function pauseChange(reason: string): object {
  return { paused: { reason } };
}

/** Lets it go on, with as many failures as there are; undefined when nothing stands still. */
export function resumeChange(instance: Instance): object | undefined {
  const { paused } = instance.spec;
  const { rollout } = instance.status;
  const stopped = rollout?.phase === "Paused" || rollout?.phase === "RolledBack" ? rollout : undefined;
  if (paused === undefined && stopped === undefined) return undefined;
  return {
    ...(paused === undefined ? {} : { paused: null }),
    ...(stopped === undefined
      ? {}
      : approval(instance, stopped.revision, { failures: stopped.failed.length })),
  };
}

/** Goes back to a revision, and does not take those again that are left. */
export function rollbackChange(
  { spec }: Instance,
  target: string,
  revisions: readonly KnownRevision[],
): { readonly revision: { readonly pin: string; readonly rejected: readonly string[] } } {
  const known = spec.revision?.rejected ?? [];
  const left = revisions.filter(({ current }) => current).map(({ id }) => id);
  const rejected = [...new Set([...known, ...left])].filter((id) => id !== target);
  return { revision: { pin: target, rejected: rejected.slice(-maxRejected) } };
}

/** As much of a revision as is needed to tell whether it may be chosen. */
export interface SignedRevision {
  readonly id: string;
  readonly commit?: string | undefined;
  readonly signer?: string | undefined;
}

/**
 * Why a definition that asks for signatures does not let an instance stay at a revision: one that was made before it
 * did so would be a way around it. Undefined when it does.
 */
export function signatureProblem(
  { metadata, spec }: Pick<WorkloadDefinition, "spec"> & { readonly metadata: { readonly name: string } },
  { id, commit, signer }: SignedRevision,
  instance: string,
): string | undefined {
  if (spec.source.git?.verify === undefined || signer !== undefined) return undefined;
  const revision = id.replace(/^sha256:/u, "").slice(0, 12);
  const from = commit === undefined ? "" : ` (commit ${commit})`;
  return `Revision ${revision}${from} is not known to be signed, and the WorkloadDefinition ${metadata.name} takes only what is, by spec.source.git.verify. Choose one that has a signer: bowline history wi/${instance} -o wide.`;
}

/** Takes whatever the definition says again. */
export const followChange = { revision: null };

/** What the last rollout began with, or else the newest that is older than what it has; undefined when none is kept. */
export function revisionBefore<Revision extends KnownRevision>(
  { status }: Instance,
  revisions: readonly Revision[],
): Revision | undefined {
  const place = revisions.findIndex(({ id }) => id === status.revision);
  const from = revisions.find(({ id }) => id === status.rollout?.from && id !== status.revision);
  return from ?? revisions[place + 1];
}

/** A patch that agrees to a revision; what was agreed to for another one counts no more. */
function approval(
  { spec: { approved } }: Instance,
  revision: string,
  { wave, failures }: { readonly wave?: number | undefined; readonly failures?: number | undefined },
): object {
  const known = approved?.revision === revision ? approved : undefined;
  const values = { wave: wave ?? known?.wave, failures: failures ?? known?.failures };
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  const cleared = Object.keys(values).filter(
    (key) => approved !== undefined && Object.hasOwn(approved, key) && !set.some(([name]) => name === key),
  );
  return {
    approved: {
      revision,
      ...Object.fromEntries(set),
      ...Object.fromEntries(cleared.map((key) => [key, null])),
    },
  };
}
