import { isDeepStrictEqual } from "node:util";

import type { EventRecord, Kind, ObjectOf, StatusOf } from "@bowline/api";
import { BowlineError, type Clock } from "@bowline/core";
import type { ReconcileContext, ReconcileResult } from "@bowline/runtime";
import type { Fence, NewAuditRecord, StatusWriteOptions, Store } from "@bowline/store";

export interface ObjectTaskOptions<K extends Kind> {
  readonly store: Pick<Store, "objects" | "events">;
  readonly clock: Clock;
  readonly kind: K;
  readonly object: ObjectOf<K>;
  readonly context: ReconcileContext;
  /** The name under which events are told. */
  readonly source: string;
}

export type ObjectEvent = Pick<EventRecord, "type" | "reason" | "message">;

/** As long as a message of an event may be. */
const maxMessageLength = 4_096;

/**
 * The work that a reconciler does on its object. Everything is written to this very object, never to another one that
 * has got its name since, and only while the lease on it is held. What is so already is not written.
 */
export class ObjectTask<K extends Kind> {
  readonly signal: AbortSignal;
  /** The grant of the lease on the object, for writes to other parts of the store; undefined where none is needed. */
  readonly fence: Fence | undefined;
  readonly #options: ObjectTaskOptions<K>;
  #object: ObjectOf<K>;
  #isGone = false;

  constructor(options: ObjectTaskOptions<K>) {
    this.#options = options;
    this.#object = options.object;
    this.signal = options.context.signal;
    const { lease } = options.context;
    const key = `${options.kind.kind}/${options.object.metadata.name}`;
    this.fence = lease === undefined ? undefined : { key, token: lease.token };
  }

  /** Wall clock. */
  nowMs(): number {
    return this.#options.clock.now();
  }

  /**
   * Changes the status, and marks the generation as observed. `change` may be called more than once, and is given the
   * status as it is then: others write to it too.
   */
  async updateStatus(change: (status: StatusOf<K>) => StatusOf<K>): Promise<void> {
    const { generation } = this.#options.object.metadata;
    await this.writeStatus((status) => {
      const observed = Math.max(status.observedGeneration ?? 0, generation);
      return Object.assign({}, change(status), { observedGeneration: observed });
    });
  }

  /** The same without marking anything: for work that is not done. */
  async writeStatus(change: (status: StatusOf<K>) => StatusOf<K>): Promise<void> {
    if (this.#isGone || isDeepStrictEqual(change(this.#object.status), this.#object.status)) return;
    const { store, kind } = this.#options;
    await this.#write((name, options) =>
      store.objects.writeStatus(kind, name, (current) => change(current.status), options),
    );
  }

  /** Before anything is made outside, so that it will be removed when the object is deleted. */
  async addFinalizer(finalizer: string): Promise<void> {
    if (this.#finalizers().includes(finalizer)) return;
    await this.#writeFinalizers((finalizers) => [
      ...finalizers.filter((each) => each !== finalizer),
      finalizer,
    ]);
  }

  /**
   * After everything outside is gone. Removing the last one of an object that is being deleted removes the object. The
   * record goes to the audit log with it.
   */
  async removeFinalizer(finalizer: string, record?: NewAuditRecord): Promise<void> {
    if (!this.#finalizers().includes(finalizer)) return;
    await this.#writeFinalizers(
      (finalizers) => finalizers.filter((each) => each !== finalizer),
      record === undefined ? {} : { audit: () => record },
    );
  }

  /** Throws when somebody else may work on the object by now: asked before what is done outside. */
  requireLease(): void {
    const { signal, lease } = this.#options.context;
    signal.throwIfAborted();
    lease?.throwIfLost();
  }

  /** Tells people. What was told before is counted, not added. */
  async recordEvent({ type, reason, message }: ObjectEvent): Promise<void> {
    const { store, kind, object, source } = this.#options;
    const { name, id } = object.metadata;
    const shortened = message.slice(0, maxMessageLength).toWellFormed();
    await store.events.record([
      { type, reason, message: shortened, regarding: { kind: kind.kind, name, id }, source },
    ]);
  }

  #finalizers(): readonly string[] {
    return this.#isGone ? [] : (this.#object.metadata.finalizers ?? []);
  }

  async #writeFinalizers(
    change: (finalizers: readonly string[]) => readonly string[],
    { audit }: Pick<StatusWriteOptions<K>, "audit"> = {},
  ): Promise<void> {
    const { store, kind } = this.#options;
    await this.#write((name, options) =>
      store.objects.writeFinalizers(kind, name, (current) => change(current.metadata.finalizers ?? []), {
        ...options,
        audit,
      }),
    );
  }

  async #write(
    write: (
      name: string,
      options: StatusWriteOptions<K>,
    ) => Promise<{ readonly outcome: string; readonly object: ObjectOf<K> }>,
  ): Promise<void> {
    const { object, context } = this.#options;
    const { name, id } = object.metadata;
    context.signal.throwIfAborted();
    try {
      const result = await write(name, { id, fence: this.fence });
      this.#object = result.object;
      this.#isGone = result.outcome === "deleted";
    } catch (thrown) {
      if (!(thrown instanceof BowlineError) || thrown.code !== "NotFound") throw thrown;
      throw new ObjectGone(thrown);
    }
  }
}

/** The object was removed during the work on it. Whoever has its name by now has a message of its own. */
export class ObjectGone extends BowlineError {
  constructor(cause: BowlineError) {
    super("NotFound", cause.message, { cause });
    this.name = "ObjectGone";
  }
}

/** The part of a controller that acts on the objects of one kind. */
export interface ObjectReconciler<K extends Kind> {
  /**
   * Brings one object to its desired state, as `Reconciler` of `@bowline/runtime` says. The object is as it was when the
   * work began; one that is being deleted has `deletedAt`, and goes when its finalizers are removed. When it resolves,
   * the generation counts as observed.
   */
  reconcile(object: ObjectOf<K>, task: ObjectTask<K>): Promise<ReconcileResult>;
}
