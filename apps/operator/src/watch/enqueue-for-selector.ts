import type { EventHandler } from "@bowline/runtime";

/** Whether an object matters to somebody. */
export type Interest<T> = (object: T) => boolean;

/**
 * A handler for one kind of secondary objects, whose reconciler says which of them matter to which primary object. The
 * source asks about an object before and after a change, so one that leaves a selector is told as well.
 */
export class EnqueueForSelector<T> {
  readonly #interests = new Map<string, Interest<T>>();

  readonly handler: EventHandler<T> = (object) => this.#interestedIn(object);

  /** Takes the place of what the owner said before, at once: at no time does nobody listen for it. */
  replace(owner: string, interest: Interest<T>): void {
    this.#interests.set(owner, interest);
  }

  forget(owner: string): void {
    this.#interests.delete(owner);
  }

  *#interestedIn(object: T): Iterable<string> {
    for (const [owner, isInteresting] of this.#interests) if (isInteresting(object)) yield owner;
  }
}
