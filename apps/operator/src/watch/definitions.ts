import { BowlineError, type Clock } from "@bowline/core";
import type {
  Discovery,
  FieldMask,
  InformerHandler,
  InformerState,
  KubeObject,
  ResourceRef,
} from "@bowline/kube";
import type { ManagedInformer } from "@bowline/runtime";

/** A CustomResourceDefinition, as far as it matters. */
export interface Definition {
  readonly group: string;
  readonly plural: string;
  /** Versions that the server answers for; none before it is established. */
  readonly servedVersions: readonly string[];
}

/** Schemas are most of a definition, and of no interest. */
export const definitionFields: FieldMask = {
  metadata: { name: true },
  spec: { group: true, names: { plural: true }, versions: { name: true, served: true } },
  status: { conditions: { type: true, status: true } },
};

interface CustomResourceDefinition extends KubeObject {
  spec?: {
    readonly group?: string;
    readonly names?: { readonly plural?: string };
    readonly versions?: readonly { readonly name?: string; readonly served?: boolean }[];
  };
  status?: { readonly conditions?: readonly { readonly type?: string; readonly status?: string }[] };
}

export function definitionOf(object: KubeObject): Definition {
  const { spec, status }: CustomResourceDefinition = object;
  const isEstablished = (status?.conditions ?? []).some(
    (condition) => condition.type === "Established" && condition.status === "True",
  );
  const served = (spec?.versions ?? []).filter((version) => version.served === true);
  return {
    group: spec?.group ?? "",
    plural: spec?.names?.plural ?? "",
    servedVersions: isEstablished ? served.map(({ name = "" }) => name) : [],
  };
}

export function isDefinitionOf(definition: Definition, { group, plural }: ResourceRef): boolean {
  return definition.group === group && definition.plural === plural;
}

/** Tells which kinds are installed. */
export interface DefinitionSource extends ManagedInformer {
  /** The error that keeps it from knowing. */
  state(): Pick<InformerState, "error">;
  addHandler(handler: InformerHandler<Definition>): { remove(): void };
}

interface DiscoveredDefinitionsOptions {
  readonly discovery: Pick<Discovery, "invalidate" | "apis">;
  /** The kinds that matter. */
  readonly resources: readonly ResourceRef[];
  readonly clock: Clock;
}

/** Nobody tells when a kind appears or goes. */
const askAgainMs = 30_000;
const retryMs = 2_000;

/**
 * Which kinds are installed, for an operator that may not read CustomResourceDefinitions, which belong to no namespace.
 * It asks the server for what it serves, again and again.
 */
export class DiscoveredDefinitions implements DefinitionSource {
  readonly #options: DiscoveredDefinitionsOptions;
  readonly #handlers = new Set<InformerHandler<Definition>>();
  readonly #stop = new AbortController();
  readonly #asked = Promise.withResolvers<void>();
  #served: readonly Definition[] = [];
  #running: Promise<void> | undefined;
  #error: BowlineError | undefined;

  constructor(options: DiscoveredDefinitionsOptions) {
    this.#options = options;
    // Somebody may stop it without ever having waited for it.
    this.#asked.promise.catch(() => {});
  }

  start(): void {
    this.#running ??= this.#askForEver();
  }

  async stop(): Promise<void> {
    const stopped = new BowlineError("Cancelled", "Nobody asks which kinds there are any more.");
    this.#stop.abort(stopped);
    this.#asked.reject(stopped);
    await this.#running;
  }

  async synced(signal?: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => aborted.reject(signal?.reason);
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      await Promise.race([this.#asked.promise, aborted.promise]);
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  state(): { readonly error: BowlineError | undefined } {
    return { error: this.#error };
  }

  addHandler(handler: InformerHandler<Definition>): { remove(): void } {
    this.#handlers.add(handler);
    for (const definition of this.#served) handler.add?.(definition);
    return { remove: () => void this.#handlers.delete(handler) };
  }

  async #askForEver(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#ask();
        this.#error = undefined;
        this.#asked.resolve();
      } catch (error) {
        this.#error = BowlineError.from(error);
      }
      const delayMs = this.#error === undefined ? askAgainMs : retryMs;
      await this.#options.clock.sleep(delayMs, signal).catch(() => {});
    }
  }

  async #ask(): Promise<void> {
    const { discovery, resources } = this.#options;
    discovery.invalidate();
    const apis = await discovery.apis();
    const isServed = ({ group, version, plural }: ResourceRef): boolean =>
      apis.resources.some(
        (each) => each.group === group && each.version === version && each.plural === plural,
      );
    const isKnown = ({ group, plural }: ResourceRef): boolean =>
      this.#served.some((each) => each.group === group && each.plural === plural);
    // A kind that the server could say nothing about now is as it was.
    const remains = (resource: ResourceRef): boolean => apis.failures.length > 0 && isKnown(resource);
    const served = resources
      .filter((resource) => isServed(resource) || remains(resource))
      .map(({ group, plural, version }) => ({ group, plural, servedVersions: [version] }));
    this.#replace(served);
  }

  #replace(served: readonly Definition[]): void {
    const before = this.#served;
    this.#served = served;
    const isIn = (list: readonly Definition[], { group, plural }: Definition): boolean =>
      list.some((each) => each.group === group && each.plural === plural);
    for (const handler of this.#handlers) {
      for (const gone of before.filter((each) => !isIn(served, each))) handler.delete?.(gone);
      for (const come of served.filter((each) => !isIn(before, each))) handler.add?.(come);
    }
  }
}
