import { kindKey, type KindRef, type ObjectPlace } from "../observe/kube-message.ts";
import type { GoneOwners } from "./gone-owners.ts";
import { nameKey } from "./watched-workload.ts";

/** An object of a watched kind. */
export class OwnedObject {
  place: ObjectPlace;
  /** As it was last reported. */
  apiVersion = "";
  /** The Workload that it belongs to. */
  workload: string | undefined;
  /** Of what was last reported; undefined before the first time. */
  digest: string | undefined;
  /** Whether the server was ever told of it. */
  isReported = false;

  constructor(place: ObjectPlace) {
    this.place = place;
  }
}

/** More owners above one another than this are not followed: references may lead in a circle. */
const maxDepth = 8;

/**
 * Which object belongs to which Workload: those that it names, and what these own, by UID. Told of every object of the
 * watched kinds, as some belong to a Workload only later.
 */
export class Ownership {
  /** Objects that belong to another Workload than before, or to none any more. */
  onMoved = (_object: OwnedObject, _before: string | undefined): void => {};
  readonly #gone: GoneOwners;
  /** Workloads by the objects that they name; of several that name the same, the first has it. */
  readonly #named = new Map<string, string[]>();
  readonly #objects = new Map<string, OwnedObject>();
  readonly #byOwner = new Map<string, Set<OwnedObject>>();
  readonly #ownerKinds = new Map<string, { readonly kind: KindRef; count: number }>();

  constructor(gone: GoneOwners) {
    this.#gone = gone;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Kinds that own something. */
  *ownerKinds(): Generator<KindRef> {
    for (const { kind } of this.#ownerKinds.values()) yield kind;
  }

  get(uid: string): OwnedObject | undefined {
    return this.#objects.get(uid);
  }

  /** Looks through all of them: for when no watch can tell which uid a name has. */
  find(kind: string, namespace: string, name: string): OwnedObject | undefined {
    const isIt = ({ place }: OwnedObject): boolean =>
      place.name === name && place.namespace === namespace && place.kind === kind;
    return this.#objects.values().find(isIt);
  }

  *objects(): Generator<OwnedObject> {
    yield* this.#objects.values();
  }

  /** The Workload that an object belongs to; looked for anew, from the object upwards. */
  workloadOf({ kind, namespace, name, owner }: Omit<ObjectPlace, "uid">): string | undefined {
    const named = this.#namedBy(kind, namespace, name);
    if (named !== undefined) return named;
    let next = owner;
    for (let depth = 0; next !== undefined && depth < maxDepth; depth++) {
      const object = this.#objects.get(next.uid);
      if (object === undefined) return this.#gone.get(next.uid);
      const place: ObjectPlace = object.place;
      const workload = this.#namedBy(place.kind, place.namespace, place.name);
      if (workload !== undefined) return workload;
      next = place.owner;
    }
    return undefined;
  }

  /** The Workload that something happened in, by what it happened to, which may be gone. */
  workloadRegarding(place: Omit<ObjectPlace, "owner">): string | undefined {
    const { kind, namespace, name, uid } = place;
    const known = this.#objects.get(uid)?.workload ?? this.#gone.get(uid);
    return known ?? this.#namedBy(kind, namespace, name);
  }

  /** Whether a Workload names the object itself. */
  isNamed({ kind, namespace, name }: ObjectPlace): boolean {
    return this.#named.has(nameKey(kind, namespace, name));
  }

  name(key: string, workload: string): void {
    const others = this.#named.get(key);
    if (others === undefined) this.#named.set(key, [workload]);
    else if (!others.includes(workload)) others.push(workload);
  }

  unname(key: string, workload: string): void {
    const others = this.#named.get(key)?.filter((other) => other !== workload) ?? [];
    if (others.length === 0) this.#named.delete(key);
    else this.#named.set(key, others);
  }

  #namedBy(kind: string, namespace: string, name: string): string | undefined {
    return this.#named.get(nameKey(kind, namespace, name))?.[0];
  }

  /** An object is there, or is another one than before. */
  see(place: ObjectPlace): OwnedObject {
    const known = this.#objects.get(place.uid);
    if (known === undefined) {
      const object = new OwnedObject(place);
      this.#objects.set(place.uid, object);
      this.#link(object);
      this.review(object);
      return object;
    }
    if (known.place.owner?.uid !== place.owner?.uid) {
      this.#unlink(known);
      known.place = place;
      this.#link(known);
      this.review(known);
    }
    // The same again, but that of the watch which runs now: there are as many as there are objects, and one is enough.
    known.place = place;
    return known;
  }

  /** An object is gone. What it owns belongs to its Workload for as long as it is there. */
  forget(uid: string): OwnedObject | undefined {
    const object = this.#objects.get(uid);
    if (object === undefined) return undefined;
    if (object.workload !== undefined) this.#gone.remember(uid, object.workload);
    this.#objects.delete(uid);
    this.#unlink(object);
    return object;
  }

  /** The Workload is gone, and so is what was remembered of it. */
  forgetWorkload(workload: string): void {
    this.#gone.forgetWorkload(workload);
    for (const object of this.#objects.values()) if (object.workload === workload) this.review(object);
  }

  /** Looks for the Workload of an object, and of what it owns, once more. */
  review(object: OwnedObject, depth = 0): void {
    const before = object.workload;
    object.workload = this.workloadOf(object.place);
    if (object.workload === before) return;
    this.onMoved(object, before);
    if (depth >= maxDepth) return;
    for (const owned of this.#byOwner.get(object.place.uid) ?? []) this.review(owned, depth + 1);
  }

  #link(object: OwnedObject): void {
    const { owner } = object.place;
    if (owner === undefined) return;
    const siblings = this.#byOwner.get(owner.uid);
    if (siblings === undefined) this.#byOwner.set(owner.uid, new Set([object]));
    else siblings.add(object);
    const key = kindKey(owner.kind);
    const known = this.#ownerKinds.get(key);
    if (known === undefined) this.#ownerKinds.set(key, { kind: owner.kind, count: 1 });
    else known.count += 1;
  }

  #unlink(object: OwnedObject): void {
    const { owner } = object.place;
    if (owner === undefined) return;
    const siblings = this.#byOwner.get(owner.uid);
    siblings?.delete(object);
    if (siblings?.size === 0) this.#byOwner.delete(owner.uid);
    const key = kindKey(owner.kind);
    const known = this.#ownerKinds.get(key);
    if (known === undefined) return;
    known.count -= 1;
    if (known.count === 0) this.#ownerKinds.delete(key);
  }
}
