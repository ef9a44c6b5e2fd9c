import { createHash } from "node:crypto";

import { BowlineError } from "@bowline/core";
import type { KubeClient, KubeObject, ResourceRef } from "@bowline/kube";
import { WaitingError, type NamespacedName } from "@bowline/runtime";

import type { MetricsAgent } from "../objects/kinds.ts";
import { isControlledBy } from "../objects/ownership.ts";
import { containsFields } from "./contains-fields.ts";

const fieldManager = "bowline-operator";

/** Hash of what an object was made from: it tells that a field is to go, which the object alone does not. */
const hashAnnotation = "monitoring.bowline.dev/content-hash";

/** An object whose name is taken may go at any time, and not everything that can be in the way is watched. */
const takenRetryMs = 15_000;

/** The end of a deletion is an event; this is for the case that it was missed. */
const deletionRetryMs = 5_000;

export interface WriteRequest<T extends KubeObject> {
  readonly agent: MetricsAgent;
  readonly resource: ResourceRef;
  readonly wanted: T;
  readonly signal: AbortSignal;
}

export interface Written<T extends KubeObject> {
  readonly object: T;
  readonly changed: boolean;
  readonly created: boolean;
}

/** How the server stored what was written last. */
interface LastWrite {
  readonly hash: string;
  readonly version: string;
  readonly resourceVersion: string | undefined;
}

/**
 * Brings objects to what is wanted, by server-side apply, and leaves alone those that are so already. It remembers how
 * the server stored what it wrote: a server that writes `1` for `1000m`, or drops a field it does not know, would
 * otherwise be sent the same for ever.
 */
export class ObjectWriter {
  readonly #client: KubeClient;
  /** By UID. */
  readonly #settled = new Map<string, LastWrite>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** The object as it is, if it is the agent's. */
  async find<T extends KubeObject>({
    agent,
    resource,
    wanted,
    signal,
  }: WriteRequest<T>): Promise<T | undefined> {
    const { namespace = "", name = "" } = wanted.metadata;
    const live = await getIfThere<T>(this.#client, resource, { namespace, name, signal });
    if (live === undefined) return undefined;
    const { kind, metadata } = live;
    if (metadata.deletionTimestamp !== undefined) {
      const message = `The ${kind} ${metadata.name ?? ""} is being deleted, and is made anew when it is gone.`;
      throw new WaitingError("BeingDeleted", message, { requeueAfterMs: deletionRetryMs });
    }
    if (isControlledBy(agent, live)) return live;
    throw new WaitingError(
      "NameTaken",
      `There is a ${kind} ${metadata.name ?? ""} that does not belong to this agent; delete or rename it, or rename the agent.`,
      { requeueAfterMs: takenRetryMs, reporting: { event: "Warning" } },
    );
  }

  /** `live` is what `find` found. */
  async write<T extends KubeObject>(request: WriteRequest<T>, live: T | undefined): Promise<Written<T>> {
    const { resource, wanted, signal } = request;
    const hash = hashOf(wanted);
    if (live !== undefined && this.#isAsWanted(live, wanted, hash))
      return { object: live, changed: false, created: false };
    const { metadata } = wanted;
    const annotations = { ...metadata.annotations, [hashAnnotation]: hash };
    // The UID makes sure that it is still the same object, and not one that somebody else made meanwhile.
    const identity = live?.metadata.uid === undefined ? {} : { uid: live.metadata.uid };
    const applied = { ...wanted, metadata: { ...metadata, ...identity, annotations } };
    const options = { fieldManager, force: live !== undefined, signal };
    const object = await this.#client.apply<T>(resource, applied, options);
    const { uid = "", resourceVersion } = object.metadata;
    this.#settled.set(uid, { hash, version: versionOf(object), resourceVersion });
    const created = live === undefined;
    return { object, created, changed: created || versionOf(object) !== versionOf(live) };
  }

  /** Whether an object is exactly as it was written here: the news of one's own write is no news. */
  isOwnWrite({ metadata: { uid = "", resourceVersion } }: Pick<KubeObject, "metadata">): boolean {
    const settled = this.#settled.get(uid);
    return settled !== undefined && settled.resourceVersion === resourceVersion;
  }

  /** The object is gone. */
  forget({ metadata: { uid = "" } }: Pick<KubeObject, "metadata">): void {
    this.#settled.delete(uid);
  }

  #isAsWanted(live: KubeObject, wanted: KubeObject, hash: string): boolean {
    const settled = this.#settled.get(live.metadata.uid ?? "");
    if (settled?.hash === hash && settled.version === versionOf(live)) return true;
    return live.metadata.annotations?.[hashAnnotation] === hash && containsFields(live, wanted);
  }
}

function hashOf(object: KubeObject): string {
  return createHash("sha256").update(JSON.stringify(object)).digest("hex").slice(0, 32);
}

/** Changes when somebody changes what is wanted of it; where there is a generation, it passes over status. */
function versionOf({ metadata }: KubeObject): string {
  const labels = JSON.stringify([metadata.labels, metadata.ownerReferences]);
  return metadata.generation === undefined
    ? (metadata.resourceVersion ?? "")
    : `${metadata.generation} ${labels} ${metadata.annotations?.[hashAnnotation] ?? ""}`;
}

/** The object, or undefined when there is none. */
export async function getIfThere<T extends KubeObject>(
  client: KubeClient,
  resource: ResourceRef,
  ref: NamespacedName & { readonly signal: AbortSignal },
): Promise<T | undefined> {
  try {
    return await client.get<T>(resource, ref);
  } catch (error) {
    if (BowlineError.from(error).code === "NotFound") return undefined;
    throw error;
  }
}
