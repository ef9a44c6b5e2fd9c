import { isDeepStrictEqual } from "node:util";

import { referencesOf, validateWrite, type ApiObject, type DesiredObjectOf, type Kind } from "@bowline/api";
import type { Applied, Client } from "@bowline/client";
import { BowlineError, hasCode, isRecord } from "@bowline/core";

import { isNotFound } from "../resources/find-objects.ts";
import type { Manifest } from "./manifest.ts";

export interface ApplyOptions {
  readonly dryRun: boolean;
  /** Changes what comes from git all the same. */
  readonly override?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** A controller may write the status again and again, but hardly each time between two requests of ours. */
const maxAttempts = 5;

/**
 * Makes the object what its manifest says.
 *
 * A manifest that was printed by `get` names the resourceVersion it was read at, so that it does not undo what somebody
 * else has done since. That is about what people write: it does not matter when only the status has changed since, or
 * when the object is gone and the manifest is there to bring it back.
 */
export async function applyManifest(
  client: Client,
  manifest: Manifest,
  options: ApplyOptions,
): Promise<Applied<Kind>> {
  const { kind, name, body } = manifest;
  try {
    return await client.apply(kind, name, body, options);
  } catch (thrown) {
    if (!isConflict(thrown) || readMetadata(manifest)["resourceVersion"] === undefined) throw thrown;
    return applyOnTop(client, manifest, options);
  }
}

async function applyOnTop(client: Client, manifest: Manifest, options: ApplyOptions): Promise<Applied<Kind>> {
  const { kind, name } = manifest;
  const body = withoutVersion(manifest);
  for (let attempt = 1; ; attempt += 1) {
    const current = await currentObject(client, manifest, options.signal);
    if (current !== undefined && !isAsRead(manifest, current)) {
      return requireUnchanged(manifest, await client.apply(kind, name, body, { ...options, dryRun: true }));
    }
    const condition =
      current === undefined ? ({ ifNoneMatch: "*" } as const) : { ifMatch: current.metadata.resourceVersion };
    try {
      return await client.apply(kind, name, body, { ...options, ...condition });
    } catch (thrown) {
      if (!isConflict(thrown) || attempt === maxAttempts) throw thrown;
    }
  }
}

/** An object that is as its manifest says has not been changed by anybody, whatever has happened since. */
function requireUnchanged({ kind, name }: Manifest, applied: Applied<Kind>): Applied<Kind> {
  if (applied.outcome === "unchanged") return applied;
  throw new BowlineError(
    "Conflict",
    `${kind.kind} "${name}" was changed since this manifest was read; read it again, or take out metadata.resourceVersion to write over that change.`,
  );
}

async function currentObject(
  client: Client,
  { kind, name }: Manifest,
  signal: AbortSignal,
): Promise<ApiObject | undefined> {
  try {
    return await client.get(kind, name, { signal });
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

/** The generation counts changes of the spec; what else people write is compared itself. */
function isAsRead(manifest: Manifest, { metadata }: ApiObject): boolean {
  const read = readMetadata(manifest);
  return (
    read["id"] === metadata.id &&
    read["generation"] === metadata.generation &&
    isDeepStrictEqual(read["labels"] ?? {}, metadata.labels) &&
    isDeepStrictEqual(read["annotations"] ?? {}, metadata.annotations)
  );
}

function readMetadata({ body }: Manifest): Readonly<Record<string, unknown>> {
  const { metadata } = body;
  return isRecord(metadata) ? metadata : {};
}

function withoutVersion(manifest: Manifest): object {
  const { resourceVersion: _, ...metadata } = readMetadata(manifest);
  return { ...manifest.body, metadata };
}

function isConflict(thrown: unknown): boolean {
  return hasCode(thrown, "Conflict", "PreconditionFailed");
}

interface DryApplied {
  readonly outcome: Applied<Kind>["outcome"];
  /** The object that the server would have made of it, or as much of that as can be known here. */
  readonly object: ApiObject | DesiredObjectOf<Kind>;
}

/**
 * Finds out what applying manifests one after the other would come to. Nothing is written, so the server cannot see
 * what would have been there by then: that an object refers to one that an earlier manifest creates is no mistake.
 */
export class DryRun {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #override: boolean;
  readonly #created = new Set<string>();

  constructor(client: Client, signal: AbortSignal, override = false) {
    this.#client = client;
    this.#signal = signal;
    this.#override = override;
  }

  async apply(manifest: Manifest): Promise<DryApplied> {
    const applied = await this.#apply(manifest);
    if (applied.outcome === "created") this.#created.add(`${manifest.kind.kind}/${manifest.name}`);
    return applied;
  }

  async #apply(manifest: Manifest): Promise<DryApplied> {
    try {
      return await applyManifest(this.#client, manifest, {
        dryRun: true,
        override: this.#override,
        signal: this.#signal,
      });
    } catch (thrown) {
      const checked = validateWrite(manifest.kind, manifest.body, { creating: true });
      if (!checked.ok || !this.#isOnlyTooEarly(manifest, checked.object, thrown)) throw thrown;
      return { outcome: "created", object: checked.object };
    }
  }

  /** Whether everything that is wrong is a name of an object that would have been created by now. */
  #isOnlyTooEarly({ kind }: Manifest, object: DesiredObjectOf<Kind>, thrown: unknown): boolean {
    if (!(thrown instanceof BowlineError) || thrown.code !== "Invalid") return false;
    const references = isRecord(object.spec) ? referencesOf(kind, { spec: object.spec }) : [];
    const tooEarly = references.filter((reference) =>
      this.#created.has(`${reference.kind}/${reference.name}`),
    );
    const fields = new Set<unknown>(tooEarly.map(({ field }) => field.replaceAll("[]", "")));
    const wrong: unknown = thrown.details?.["fields"];
    return Array.isArray(wrong) && wrong.length > 0 && wrong.every(({ path }) => fields.has(path));
  }
}
