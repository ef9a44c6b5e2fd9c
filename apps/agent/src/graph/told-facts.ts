import type { KnownObjects } from "@bowline/protocol";

import { kindKey, type ObjectPlace } from "../observe/kube-message.ts";

const digestBytes = 8;

/** Stands for the digest of an object whose latest facts have yet to be told. */
const outdated = "";

/**
 * What the server knows of each object, or will once the queue is sent: the digest of its facts, and nothing else. It
 * begins with what the server says it has from before.
 */
export class ToldFacts {
  /** By kind and namespace, so that what is gone can be told where everything was read, and only there. */
  readonly #kinds = new Map<string, Map<string, Map<string, string>>>();
  /** Objects of which nothing has left for the server yet. */
  readonly #unsent = new Set<string>();

  /** The server says what it knows. Digests that are missing count as outdated. */
  known({ group, kind, namespace, uids, digests }: KnownObjects): void {
    const objects = this.#objectsOf(kindKey({ group, kind }), namespace);
    const bytes = Buffer.from(digests.buffer, digests.byteOffset, digests.byteLength);
    for (const [index, uid] of uids.entries()) {
      const digest = bytes.subarray(index * digestBytes, (index + 1) * digestBytes);
      objects.set(uid, digest.length === digestBytes ? digest.toString("latin1") : outdated);
    }
  }

  /** Whether an object has other facts than the server knows of. */
  isNews({ kind, namespace, uid }: ObjectPlace, digest: string): boolean {
    return this.#kinds.get(kind)?.get(namespace)?.get(uid) !== digest;
  }

  /** The facts with this digest wait to be sent. */
  told({ kind, namespace, uid }: ObjectPlace, digest: string): void {
    const objects = this.#objectsOf(kind, namespace);
    if (!objects.has(uid)) this.#unsent.add(uid);
    objects.set(uid, digest);
  }

  /** There was no room for the facts: whatever the server knows is not the latest. */
  outdated(place: ObjectPlace): void {
    this.told(place, outdated);
  }

  /** Something of the object has left for the server. */
  sent(uid: string): void {
    this.#unsent.delete(uid);
  }

  /** Returns whether the server may have heard of it. */
  forget({ kind, namespace, uid }: ObjectPlace): boolean {
    const namespaces = this.#kinds.get(kind);
    const objects = namespaces?.get(namespace);
    if (objects?.delete(uid) !== true) return false;
    if (objects.size === 0) namespaces?.delete(namespace);
    return !this.#unsent.delete(uid);
  }

  /**
   * A kind was read as a whole, in one namespace or in all of them (`undefined`): what is not among its objects is gone.
   * Forgets it, and gives out each, and whether the server may have heard of it.
   */
  *unseen(
    kind: string,
    namespace: string | undefined,
    present: ReadonlySet<string>,
  ): Generator<readonly [ObjectPlace, isToldOf: boolean]> {
    for (const [each, objects] of this.#kinds.get(kind) ?? []) {
      if (namespace !== undefined && each !== namespace) continue;
      for (const uid of objects.keys()) {
        if (present.has(uid)) continue;
        const place = { kind, namespace: each, name: "", uid, owner: undefined };
        yield [place, this.forget(place)];
      }
    }
  }

  #objectsOf(kind: string, namespace: string): Map<string, string> {
    const namespaces = this.#kinds.get(kind) ?? new Map<string, Map<string, string>>();
    this.#kinds.set(kind, namespaces);
    const objects = namespaces.get(namespace) ?? new Map<string, string>();
    namespaces.set(namespace, objects);
    return objects;
  }
}
