import type { Kind, ObjectOf, StatusOf } from "@bowline/api";
import type { Clock } from "@bowline/core";
import {
  done,
  failureReport,
  setCondition,
  TerminalError,
  WaitingError,
  type ConditionUpdate,
  type DeadLetter,
  type ReconcileContext,
  type Reconciler,
  type ReconcileRequest,
  type ReconcileResult,
} from "@bowline/runtime";

import { neverAnswered } from "../broker/broker.ts";
import type { Store } from "@bowline/store";
import { ObjectGone, ObjectTask, type ObjectReconciler } from "./object-task.ts";

interface ObjectWorkerHost {
  readonly store: Pick<Store, "objects" | "events">;
  readonly clock: Clock;
}

type Statement = Pick<ConditionUpdate, "status" | "reason" | "message">;

/** A failure that the next attempt mends, a second later, is not worth a line in the status. */
const toldFromAttempt = 2;

/** Reads the object of a key, hands it to its reconciler, and writes down how that went. */
export class ObjectWorker<K extends Kind> implements Reconciler {
  readonly #kind: K;
  readonly #reconciler: ObjectReconciler<K>;
  readonly #host: ObjectWorkerHost;
  /** The objects being worked on, as they were read: every finding is about this generation. */
  readonly #objects = new Map<string, ObjectOf<K>>();

  constructor(kind: K, reconciler: ObjectReconciler<K>, host: ObjectWorkerHost) {
    this.#kind = kind;
    this.#reconciler = reconciler;
    this.#host = host;
  }

  async reconcile({ key, attempt }: ReconcileRequest, context: ReconcileContext): Promise<ReconcileResult> {
    const object = await this.#host.store.objects.get(this.#kind, nameIn(key));
    if (object === undefined) return done;
    this.#objects.set(key, object);
    if (attempt >= neverAnswered) throw neverFinished(key);
    const task = this.#task(object, context);
    try {
      const result = await this.#reconciler.reconcile(object, task);
      await task.updateStatus((status) => status);
      return result;
    } catch (thrown) {
      if (thrown instanceof ObjectGone) return done;
      const statement = statementOf(thrown, attempt);
      // That it cannot be written is no reason for anything: what matters is why it had to be.
      if (statement !== undefined)
        await task.writeStatus(readyChange(object, statement, task)).catch(() => {});
      throw thrown;
    }
  }

  /**
   * Makes an event and a condition of a dead letter. What a person has to change counts as observed; what only failed
   * too often does not, even if it was observed before another object's change, so that the next sweep finds it and it
   * is tried again.
   */
  async reportDeadLetter(deadLetter: DeadLetter, context: ReconcileContext): Promise<void> {
    const { key, error, reason, message, terminal } = deadLetter;
    const object = this.#objects.get(key);
    // It could not even be read; the sweep finds it when it can.
    if (object === undefined) return;
    const task = this.#task(object, context);
    const { event } = failureReport(error);
    const change = readyChange(object, { status: "False", reason, message }, task);
    try {
      // Before the condition, because with that the key is dealt with.
      if (event !== "none") await task.recordEvent({ type: event, reason, message });
      await (terminal ? task.updateStatus(change) : task.writeStatus(unobserved(object, change)));
    } catch (thrown) {
      if (!(thrown instanceof ObjectGone)) throw thrown;
    }
  }

  /** The work on the key has ended. */
  forget(key: string): void {
    this.#objects.delete(key);
  }

  #task(object: ObjectOf<K>, context: ReconcileContext): ObjectTask<K> {
    const kind = this.#kind;
    const { store, clock } = this.#host;
    return new ObjectTask({ store, clock, kind, object, context, source: `${kind.singular}-controller` });
  }
}

/** The status of work that is not done; nothing where somebody else says it. */
function statementOf(thrown: unknown, attempt: number): Statement | undefined {
  const { reason, message } = failureReport(thrown);
  if (thrown instanceof WaitingError) return { status: "Unknown", reason, message };
  if (thrown instanceof TerminalError || attempt < toldFromAttempt) return undefined;
  return { status: "False", reason, message };
}

function readyChange<K extends Kind>(
  object: ObjectOf<K>,
  statement: Statement,
  task: ObjectTask<K>,
): (status: StatusOf<K>) => StatusOf<K> {
  const update = { ...statement, type: "Ready", observedGeneration: object.metadata.generation };
  const nowMs = task.nowMs();
  return (status) =>
    Object.assign({}, status, { conditions: setCondition(status.conditions, update, nowMs) });
}

function unobserved<K extends Kind>(
  { metadata: { generation } }: ObjectOf<K>,
  change: (status: StatusOf<K>) => StatusOf<K>,
): (status: StatusOf<K>) => StatusOf<K> {
  return (status) => {
    if (status.observedGeneration !== generation) return change(status);
    return Object.assign({}, change(status), { observedGeneration: generation - 1 });
  };
}

/** The name in `Kind/name`. */
function nameIn(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}

function neverFinished(key: string): TerminalError {
  const message = `${key} was handed out again and again and never came back: the server that works on it may die of it. Look at the servers' logs, then change the object to have it tried again.`;
  return new TerminalError("NeverFinished", message);
}
