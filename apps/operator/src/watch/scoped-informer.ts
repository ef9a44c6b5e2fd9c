import {
  createInformer,
  type HandlerRegistration,
  type Informer,
  type InformerHandler,
  type InformerOptions,
  type InformerState,
} from "@bowline/kube";

/** An informer, as far as the operator uses it. */
export interface ScopedInformer<T> extends Pick<
  Informer<T>,
  "resource" | "start" | "stop" | "synced" | "get" | "list" | "addHandler"
> {
  state(): Pick<InformerState, "synced" | "error">;
}

/** A cache of the whole cluster, or of some namespaces only, each watched on its own: Roles allow no more. */
export function scopedInformer<T>(
  options: InformerOptions<T>,
  namespaces: readonly string[] | undefined,
): ScopedInformer<T> {
  return namespaces === undefined ? createInformer(options) : new NamespacedInformers(options, namespaces);
}

class NamespacedInformers<T> implements ScopedInformer<T> {
  readonly resource: Informer<T>["resource"];
  /** By namespace. */
  readonly #informers: ReadonlyMap<string, Informer<T>>;

  constructor(options: InformerOptions<T>, namespaces: readonly string[]) {
    this.resource = options.resource;
    this.#informers = new Map(
      namespaces.map((namespace) => [namespace, createInformer({ ...options, namespace })]),
    );
  }

  start(): void {
    for (const informer of this.#informers.values()) informer.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.stop()));
  }

  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.synced(signal)));
  }

  state(): Pick<InformerState, "synced" | "error"> {
    const states = this.#all().map((informer) => informer.state());
    return {
      synced: states.every(({ synced }) => synced),
      error: states.find(({ error }) => error !== undefined)?.error,
    };
  }

  get(namespace: string, name: string): T | undefined {
    return this.#informers.get(namespace)?.get(namespace, name);
  }

  list(namespace?: string): T[] {
    if (namespace !== undefined) return this.#informers.get(namespace)?.list() ?? [];
    return this.#all().flatMap((informer) => informer.list());
  }

  addHandler(handler: InformerHandler<T>): HandlerRegistration {
    let waitingFor = this.#informers.size;
    const shared: InformerHandler<T> = {
      add: (value) => handler.add?.(value),
      update: (before, after) => handler.update?.(before, after),
      delete: (value) => handler.delete?.(value),
      synced: () => {
        waitingFor -= 1;
        if (waitingFor === 0) handler.synced?.();
      },
    };
    const registrations = this.#all().map((informer) => informer.addHandler(shared));
    return {
      get synced() {
        return registrations.every(({ synced }) => synced);
      },
      remove: () => {
        for (const registration of registrations) registration.remove();
      },
    };
  }

  #all(): Informer<T>[] {
    return [...this.#informers.values()];
  }
}
