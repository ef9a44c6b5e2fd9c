import type { ObjectFacts } from "../model/object-facts.ts";

/**
 * Objects whose name another one has. A cluster has only one object of a name, so that the older one is gone, and its
 * deletion is on the way; what it said does not count, but is kept: should it be the newer one that leaves, the other
 * one is what remains.
 */
export class Rivals {
  #keys: Map<string, string> = new Map();
  #byKey: Map<string, ReadonlyMap<string, ObjectFacts>> = new Map();

  copy(): Rivals {
    const copy = new Rivals();
    copy.#keys = new Map(this.#keys);
    copy.#byKey = new Map(this.#byKey);
    return copy;
  }

  get size(): number {
    return this.#keys.size;
  }

  add(key: string, facts: ObjectFacts): void {
    this.#keys.set(facts.uid, key);
    this.#byKey.set(key, new Map([...(this.#byKey.get(key) ?? []), [facts.uid, facts]]));
  }

  get(uid: string): ObjectFacts | undefined {
    return this.#byKey.get(this.#keys.get(uid) ?? "")?.get(uid);
  }

  remove(uid: string): boolean {
    const key = this.#keys.get(uid);
    if (key === undefined) return false;
    this.#keys.delete(uid);
    const others = new Map(this.#byKey.get(key));
    others.delete(uid);
    if (others.size === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, others);
    return true;
  }

  takeNewest(key: string): ObjectFacts | undefined {
    let newest: ObjectFacts | undefined;
    for (const facts of this.#byKey.get(key)?.values() ?? []) {
      if (newest === undefined || isNewer(facts, newest)) newest = facts;
    }
    if (newest !== undefined) this.remove(newest.uid);
    return newest;
  }

  uids(): Iterable<string> {
    return this.#keys.keys();
  }
}

/** Whether an object was made after another one of the same name; by uid where nobody knows, so that all agree. */
export function isNewer(facts: ObjectFacts, than: ObjectFacts): boolean {
  const [created, thanCreated] = [createdAt(facts), createdAt(than)];
  return created === thanCreated ? facts.uid > than.uid : created > thanCreated;
}

/** Kubernetes writes its times so that they sort as text. */
function createdAt({ properties }: ObjectFacts): string {
  const { createdAt: time } = properties;
  return typeof time === "string" ? time : "";
}
