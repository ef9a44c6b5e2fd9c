/**
 * An object to look at. It is named, and nothing is said of what happened to it: the reconciler reads the state
 * as it is now, so that lost, repeated and reordered events make no difference.
 */
export interface ReconcileRequest {
  /** `kind/id` for an object of the database, `namespace/name` or `name` for one of Kubernetes. */
  readonly key: string;
  /** 1, or one more than the failures in a row before. */
  readonly attempt: number;
}

export interface ReconcileContext {
  /** Aborts when the time limit passes, the lease is lost or the program stops; end soon after that. */
  readonly signal: AbortSignal;
  /** The right to work on this key, where the controller has leases. */
  readonly lease: ReconcileLease | undefined;
}

export interface ReconcileLease {
  /** Higher than that of everybody who held the key before. Make every write conditional on it. */
  readonly token: number;
  /** Throws `LeaseLost` when somebody else may hold the key by now: ask before what no token can protect. */
  throwIfLost(): void;
}

/**
 * - done: the object is as it should be; nothing happens until its key is added again
 * - requeue-after: the same, but look again after a while even if nobody asks
 */
export type ReconcileResult =
  | { readonly kind: "done" }
  | { readonly kind: "requeue-after"; readonly delayMs: number };

export const done: ReconcileResult = { kind: "done" };

/** Looks again after `delayMs`, or earlier if the key is added. */
export function requeueAfter(delayMs: number): ReconcileResult {
  return { kind: "requeue-after", delayMs };
}

/**
 * Brings one object to its desired state.
 *
 * - It is idempotent: it may run again at any time, also after it succeeded, and after a crash in the middle.
 * - It never runs twice at the same time for one key.
 * - What it throws decides what comes next: `TerminalError` nothing until the key is added again, `WaitingError` another
 *   look after the delay it names, anything else another attempt after a delay that grows.
 */
export interface Reconciler {
  reconcile(request: ReconcileRequest, context: ReconcileContext): Promise<ReconcileResult>;
}
