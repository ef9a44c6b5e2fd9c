import { isDeepStrictEqual } from "node:util";

import { BowlineError } from "@bowline/core";
import type { KubeClient, KubeObject, ResourceRef } from "@bowline/kube";
import { objectKey, type NamespacedName } from "@bowline/runtime";

const fieldManager = "bowline-operator-status";

interface StatusRequest {
  /** As it was read. */
  readonly object: KubeObject;
  readonly status: object;
  readonly signal: AbortSignal;
}

/** A status that the server did not keep as it was written. */
interface Kept {
  readonly uid: string | undefined;
  readonly written: object;
  readonly kept: unknown;
}

/**
 * Writes the statuses of a kind, unless they say that already. The definition may be older than the operator: it is a
 * patch, because the server refuses to apply fields that it does not know, and drops them from a patch. What it kept is
 * remembered, since it would otherwise be sent the same for ever.
 */
export class StatusWriter {
  readonly #client: KubeClient;
  readonly #resource: ResourceRef;
  /** By `namespace/name`. */
  readonly #kept = new Map<string, Kept>();

  constructor(client: KubeClient, resource: ResourceRef) {
    this.#client = client;
    this.#resource = resource;
  }

  async write({ object, status, signal }: StatusRequest): Promise<void> {
    const { name = "", namespace = "", uid } = object.metadata;
    const key = objectKey({ namespace, name });
    if (isDeepStrictEqual(object["status"], status)) return;
    if (isDeepStrictEqual(this.#kept.get(key), { uid, written: status, kept: object["status"] })) return;
    // The UID makes sure that it is the very object that was read.
    const said = { metadata: { uid }, status: { ...withoutAll(object["status"]), ...status } };
    const options = { type: "merge", name, namespace, subresource: "status", fieldManager, signal } as const;
    try {
      const { status: kept } = await this.#client.patch(this.#resource, said, options);
      if (isDeepStrictEqual(kept, status)) this.#kept.delete(key);
      else this.#kept.set(key, { uid, written: status, kept });
    } catch (error) {
      // It was deleted meanwhile: nobody will read this status. A conflict may be that it was made anew, or that many
      // write to it: whoever tries again finds out.
      if (BowlineError.from(error).code !== "NotFound") throw error;
    }
  }

  /** The object is gone. */
  forget(ref: NamespacedName): void {
    this.#kept.delete(objectKey(ref));
  }
}

/** A patch that takes away each field that is there. */
function withoutAll(status: unknown): Record<string, null> {
  const names = typeof status === "object" && status !== null ? Object.keys(status) : [];
  return Object.fromEntries(names.map((name) => [name, null]));
}
