import { referencesOf, validateWrite, type ApiObject, type DesiredObjectOf, type Kind } from "@bowline/api";
import type { Applied, Client } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import { applyManifest } from "./apply-manifest.ts";
import type { Manifest } from "./manifest.ts";

interface DryApplied {
  readonly outcome: Applied<Kind>["outcome"];
  /** What the server would have made of it, or as much of that as can be known here. */
  readonly object: ApiObject | DesiredObjectOf<Kind>;
}

/**
 * Finds out what applying manifests one after the other would come to. Nothing is written, so the server cannot see
 * what would have been there by then: that an object refers to one that an earlier manifest creates is no mistake.
 */
export class DryRun {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #created = new Set<string>();

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  async apply(manifest: Manifest): Promise<DryApplied> {
    const applied = await this.#apply(manifest);
    if (applied.outcome === "created") this.#created.add(`${manifest.kind.kind}/${manifest.name}`);
    return applied;
  }

  async #apply(manifest: Manifest): Promise<DryApplied> {
    try {
      return await applyManifest(this.#client, manifest, { dryRun: true, signal: this.#signal });
    } catch (thrown) {
      const checked = validateWrite(manifest.kind, manifest.body, { creating: true });
      if (!checked.ok || !this.#isOnlyTooEarly(manifest, checked.object, thrown)) throw thrown;
      return { outcome: "created", object: checked.object };
    }
  }

  /** Whether everything that is wrong is a name of an object that would have been created by now. */
  #isOnlyTooEarly({ kind }: Manifest, object: DesiredObjectOf<Kind>, thrown: unknown): boolean {
    if (!(thrown instanceof BowlineError) || thrown.code !== "Invalid") return false;
    const references = referencesOf(kind, { spec: Object(object.spec) });
    const tooEarly = references.filter((reference) =>
      this.#created.has(`${reference.kind}/${reference.name}`),
    );
    const fields = new Set<unknown>(tooEarly.map(({ field }) => field.replaceAll("[]", "")));
    const wrong: unknown = thrown.details?.["fields"];
    return Array.isArray(wrong) && wrong.length > 0 && wrong.every(({ path }) => fields.has(path));
  }
}
