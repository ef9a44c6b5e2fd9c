import { BowlineError } from "@bowline/core";

/** How much of a log there is. */
export interface LogBounds {
  /** Everything up to here has been deleted. */
  readonly compacted: number;
  /** The number of the last entry. */
  readonly head: number;
}

/** `InvalidArgument` for what cannot be a number that the server gave out. */
export function parseRevision(resourceVersion: string): number {
  const revision = Number(resourceVersion);
  if (/^[0-9]{1,16}$/u.test(resourceVersion) && Number.isSafeInteger(revision)) return revision;
  throw new BowlineError("InvalidArgument", "The resourceVersion is not one that the server gave out.");
}

/** A number from the future was given out by a database that has since been restored from a backup. */
export function requireKept(after: number, { compacted, head }: LogBounds): void {
  if (after >= compacted && after <= head) return;
  throw new BowlineError(
    "Expired",
    `What happened after resourceVersion ${after} is not kept any more; list again and go on from there.`,
    { details: { oldest: String(compacted), newest: String(head) } },
  );
}
