/** A cache that tells about changes, as the informers of `@bowline/kube` do. */
export interface InformerLike<T> {
  /** Calls `add` for all that is there already. */
  addHandler(handler: InformerHandlerLike<T>): { remove(): void };
}

export interface InformerHandlerLike<T> {
  add(object: T): void;
  update(before: T, after: T): void;
  delete(object: T): void;
  /** All that existed has been added. */
  synced(): void;
}

/** An informer whose life a manager looks after. */
export interface ManagedInformer {
  start(): void;
  stop(): Promise<void>;
  /** Resolves when all that existed has been read. */
  synced(signal: AbortSignal): Promise<void>;
}
