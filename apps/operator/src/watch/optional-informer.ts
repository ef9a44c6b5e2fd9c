import { BowlineError } from "@bowline/core";
import type { InformerState, ResourceRef } from "@bowline/kube";
import type { InformerHandlerLike, InformerLike, ManagedInformer } from "@bowline/runtime";

import { isDefinitionOf, type Definition, type DefinitionSource } from "./definitions.ts";
import type { ScopedInformer } from "./scoped-informer.ts";

interface OptionalInformerOptions<T> {
  readonly resource: ResourceRef;
  /** The CustomResourceDefinitions of the cluster. */
  readonly definitions: Pick<DefinitionSource, "addHandler" | "synced">;
  readonly create: (resource: ResourceRef) => ScopedInformer<T>;
}

interface Following<T> {
  readonly informer: ScopedInformer<T>;
  readonly registrations: Map<InformerHandlerLike<T>, { remove(): void }>;
}

/**
 * The objects of a kind that may not be installed: none while its definition is missing, and all from when it appears.
 * When the definition goes, its objects are told as deleted.
 */
export class OptionalInformer<T> implements InformerLike<T>, ManagedInformer {
  readonly #options: OptionalInformerOptions<T>;
  readonly #handlers = new Set<InformerHandlerLike<T>>();
  readonly #ending = new Set<Promise<void>>();
  #following: Following<T> | undefined;
  #registration: { remove(): void } | undefined;

  constructor(options: OptionalInformerOptions<T>) {
    this.#options = options;
  }

  start(): void {
    this.#registration ??= this.#options.definitions.addHandler({
      add: (definition) => this.#follow(definition),
      update: (_before, after) => this.#follow(after),
      delete: (definition) => {
        if (isDefinitionOf(definition, this.#options.resource)) this.#leave();
      },
    });
  }

  async stop(): Promise<void> {
    this.#registration?.remove();
    this.#leave();
    await Promise.all(this.#ending);
  }

  /** Resolves when all objects have been read, or there is no such kind. */
  async synced(signal: AbortSignal): Promise<void> {
    await this.#options.definitions.synced(signal);
    const following = this.#following;
    if (following === undefined) return;
    try {
      await following.informer.synced(signal);
    } catch (error) {
      // The kind was removed meanwhile, which is as good as not being there.
      if (signal.aborted || this.#following === following || BowlineError.from(error).code !== "Cancelled")
        throw error;
    }
  }

  state(): Pick<InformerState, "error"> {
    return { error: this.#following?.informer.state().error };
  }

  list(): T[] {
    return this.#following?.informer.list() ?? [];
  }

  addHandler(handler: InformerHandlerLike<T>): { remove(): void } {
    this.#handlers.add(handler);
    this.#register(handler);
    return {
      remove: () => {
        this.#handlers.delete(handler);
        this.#following?.registrations.get(handler)?.remove();
      },
    };
  }

  #follow(definition: Definition): void {
    const { resource, create } = this.#options;
    if (!isDefinitionOf(definition, resource)) return;
    if (!definition.servedVersions.includes(resource.version)) return this.#leave();
    if (this.#following !== undefined) return;
    this.#following = { informer: create(resource), registrations: new Map() };
    for (const handler of this.#handlers) this.#register(handler);
    this.#following.informer.start();
  }

  #register(handler: InformerHandlerLike<T>): void {
    if (this.#following === undefined) return;
    const { informer, registrations } = this.#following;
    registrations.set(handler, informer.addHandler(handler));
  }

  #leave(): void {
    if (this.#following === undefined) return;
    const { informer, registrations } = this.#following;
    this.#following = undefined;
    for (const [handler, registration] of registrations) {
      registration.remove();
      for (const object of informer.list()) handler.delete(object);
    }
    const ending = informer.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
