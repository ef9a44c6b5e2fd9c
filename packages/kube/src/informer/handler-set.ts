/** A listener's answers to changes. Handlers are called one after the other, in the order of the changes. */
export interface InformerHandler<T> {
  add?(value: T): void;
  /** `old` is the version this handler saw before, not always the one just before: changes may be skipped. */
  update?(old: T, value: T): void;
  /** The last state known; the very last where the server told it. */
  delete?(value: T): void;
  /** Everything that existed has been added. */
  synced?(): void;
}

export interface HandlerRegistration {
  /** Whether this handler has seen everything that existed. */
  readonly synced: boolean;
  /** From now on it is not called any more. */
  remove(): void;
}

interface Registered<T> {
  readonly handler: InformerHandler<T>;
  active: boolean;
  synced: boolean;
}

/** The handlers of an informer. One that fails is reported, and neither the others nor the informer notice. */
export class HandlerSet<T> {
  readonly #report: (thrown: unknown) => void;
  /** Replaced and never changed: whoever joins or leaves during a round does not disturb it. */
  #registered: readonly Registered<T>[] = [];

  constructor(report: (thrown: unknown) => void) {
    this.#report = report;
  }

  /** A handler that comes late first sees everything that is there now. */
  register(handler: InformerHandler<T>, present: Iterable<T>, synced: boolean): HandlerRegistration {
    const registered: Registered<T> = { handler, active: true, synced: false };
    this.#registered = [...this.#registered, registered];
    for (const value of present) this.#call(registered, () => handler.add?.(value));
    if (synced) this.#markSynced(registered);
    return {
      get synced() {
        return registered.synced;
      },
      remove: () => {
        registered.active = false;
        this.#registered = this.#registered.filter((other) => other !== registered);
      },
    };
  }

  add(value: T): void {
    for (const each of this.#registered) this.#call(each, () => each.handler.add?.(value));
  }

  update(old: T, value: T): void {
    for (const each of this.#registered) this.#call(each, () => each.handler.update?.(old, value));
  }

  /** One object took the name of another. In one round, so that a handler that joins in between sees it once. */
  replace(old: T, value: T): void {
    for (const each of this.#registered) {
      this.#call(each, () => each.handler.delete?.(old));
      this.#call(each, () => each.handler.add?.(value));
    }
  }

  delete(value: T): void {
    for (const each of this.#registered) this.#call(each, () => each.handler.delete?.(value));
  }

  markSynced(): void {
    for (const each of this.#registered) this.#markSynced(each);
  }

  #markSynced(registered: Registered<T>): void {
    if (registered.synced) return;
    registered.synced = true;
    this.#call(registered, () => registered.handler.synced?.());
  }

  #call(registered: Registered<T>, call: () => unknown): void {
    if (!registered.active) return;
    try {
      const result = call();
      // An async function passes for a handler that returns nothing; its failure must not end the process.
      if (result instanceof Promise) result.catch(this.#report);
    } catch (thrown) {
      this.#report(thrown);
    }
  }
}
