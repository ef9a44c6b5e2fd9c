export interface TransientMember {
  /** Where the set keeps it. Nobody else writes this; -1 before it is in one. */
  slot: number;
}

/** Where more than this many have been, the room is given back once all are gone. */
const keptRoom = 1_024;

/**
 * A set of objects that come and go by the thousand, such as requests under way. Each can be in one such set.
 *
 * The `Map` and `Set` of V8 are made anew when enough has been deleted from them, and what is left of the old one still
 * points to everything that was in it. Once a set has lived through a full collection, those remains are old objects
 * too: until the next full one, all that was ever under way stays alive, is moved to the old generation, and makes that
 * next one come soon. At a few thousand requests a second this is most of what the collector does. Here, who leaves
 * leaves nothing behind.
 */
export class TransientSet<T extends TransientMember> {
  #members: (T | undefined)[] = [];
  #free: number[] = [];

  get size(): number {
    return this.#members.length - this.#free.length;
  }

  add(member: T): void {
    if (this.#members[member.slot] === member) return;
    member.slot = this.#free.pop() ?? this.#members.length;
    this.#members[member.slot] = member;
  }

  delete(member: T): void {
    const { slot } = member;
    if (this.#members[slot] !== member) return;
    this.#members[slot] = undefined;
    this.#free.push(slot);
    if (this.size > 0 || this.#members.length <= keptRoom) return;
    this.#members = [];
    this.#free = [];
  }

  /** The member that was given this slot, while it is here. */
  at(slot: number): T | undefined {
    return this.#members[slot];
  }

  /** In no particular order. Those that leave meanwhile are left out; those that come may be. */
  *[Symbol.iterator](): Generator<T, void> {
    for (const member of this.#members) {
      if (member !== undefined) yield member;
    }
  }
}
