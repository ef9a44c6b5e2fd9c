import { IdPool, IntColumn, none } from "./int-column.ts";

/** What objects there are by uid, and which nodes each of them is: its own, and those of its parts in their order. */
export class ObjectTable {
  #ids: Map<string, number> = new Map();
  #uids: string[] = [];
  #pool = new IdPool();
  /** Of an object: its own node, and the last one that was added to it. */
  #nodeOf = new IntColumn();
  #lastOf = new IntColumn();
  /** Of a node: its object, and the next node of the same object. */
  #objectOf = new IntColumn();
  #next = new IntColumn();

  copy(): ObjectTable {
    const copy = new ObjectTable();
    copy.#ids = new Map(this.#ids);
    copy.#uids = this.#uids.slice();
    copy.#pool = this.#pool.copy();
    copy.#nodeOf = this.#nodeOf.copy();
    copy.#lastOf = this.#lastOf.copy();
    copy.#objectOf = this.#objectOf.copy();
    copy.#next = this.#next.copy();
    return copy;
  }

  get size(): number {
    return this.#ids.size;
  }

  find(uid: string): number | undefined {
    return this.#ids.get(uid);
  }

  add(uid: string, node: number): number {
    const object = this.#pool.take();
    this.#ids.set(uid, object);
    this.#uids[object] = uid;
    this.#nodeOf.set(object, node);
    this.#objectOf.set(node, object);
    this.#next.set(node, none);
    this.#lastOf.set(object, node);
    return object;
  }

  addPart(object: number, node: number): void {
    this.#next.set(this.#lastOf.get(object), node);
    this.#next.set(node, none);
    this.#objectOf.set(node, object);
    this.#lastOf.set(object, node);
  }

  remove(object: number): void {
    for (const node of this.members(object)) this.#objectOf.set(node, none);
    this.#ids.delete(this.uid(object));
    this.#uids[object] = "";
    this.#pool.giveBack(object);
  }

  uid(object: number): string {
    return this.#uids[object] ?? "";
  }

  /** An object's own node. */
  nodeOf(object: number): number {
    return this.#nodeOf.get(object);
  }

  /** The object that a node is, or is part of. */
  objectOf(node: number): number {
    return this.#objectOf.get(node);
  }

  /** An object's own node, then its parts. */
  members(object: number): number[] {
    const members: number[] = [];
    for (let node = this.#nodeOf.get(object); node !== none; node = this.#next.get(node)) members.push(node);
    return members;
  }

  uids(): Iterable<string> {
    return this.#ids.keys();
  }

  *entries(): Generator<readonly [uid: string, node: number]> {
    for (const [uid, object] of this.#ids) yield [uid, this.#nodeOf.get(object)];
  }
}
