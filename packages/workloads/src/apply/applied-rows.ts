import { appliedDigest, type KubeObject } from "@bowline/kube";
import type { AppliedObject } from "@bowline/store";

import type { EngineContext } from "../cluster/engine-context.ts";
import type { RenderedObject } from "../render/render-workload.ts";
import { fieldManager } from "../workload.ts";

/**
 * Writes into the inventory what the cluster has answered. While one write is under way answers gather for the next, so
 * that rows follow at once where answers are few, and in batches where they are many.
 */
export class AppliedRows {
  readonly #context: EngineContext;
  readonly #revision: string;
  #gathered: AppliedObject[] = [];
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(context: EngineContext, revision: string) {
    this.#context = context;
    this.#revision = revision;
  }

  /** Throws when rows could not be written, such as those of a lease that was lost: nothing more should be sent then. */
  add(rendered: RenderedObject, answer: KubeObject): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    const { group, kind, namespace, name, version, content } = rendered;
    const { uid = "", resourceVersion } = answer.metadata;
    const digest = appliedDigest(answer, fieldManager);
    const appliedAtMs = this.#context.clock.now();
    const applied = { version, content, uid, resourceVersion, digest, appliedAtMs };
    this.#gathered.push({ group, kind, namespace, name, ...applied });
    this.#writing ??= this.#write();
    // Whoever awaits `written` is told; until then nobody listens.
    this.#writing.catch(() => {});
  }

  /** Resolves when everything that was added is in the database, and rejects when that failed. */
  async written(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    const { inventory, key, fence } = this.#context;
    while (this.#gathered.length > 0) {
      const batch = this.#gathered;
      this.#gathered = [];
      try {
        await inventory.applied(key, batch, { revision: this.#revision, fence });
      } catch (error) {
        this.#failure = { error };
        throw error;
      }
    }
    this.#writing = undefined;
  }
}
