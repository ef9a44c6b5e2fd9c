import { BowlineError, type Clock } from "@bowline/core";

import type { Inventory } from "./provider-stage.ts";

export interface ShopThing {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly mark: string;
  readonly readyAtMs: number;
}

/** A cloud as small as one can be: things with a type, a name that nobody else may have, and a mark. */
export class ShopWorld {
  readonly #clock: Clock;
  #things: ShopThing[] = [];
  #made = 0;
  isDown = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(wanted: (thing: ShopThing) => boolean): ShopThing | undefined {
    this.#answer();
    return this.#things.find(wanted);
  }

  isReady({ readyAtMs }: ShopThing): boolean {
    return readyAtMs <= this.#clock.now();
  }

  make(thing: Pick<ShopThing, "type" | "name" | "mark"> & { readonly takesMs: number }): ShopThing {
    this.#answer();
    this.#made += 1;
    const { takesMs, ...rest } = thing;
    const made = { ...rest, id: `${thing.type}-${this.#made}`, readyAtMs: this.#clock.now() + takesMs };
    this.#things.push(made);
    return made;
  }

  remove(id: string | undefined): void {
    this.#answer();
    this.#things = this.#things.filter((thing) => thing.id !== id);
  }

  /** By hand, which works in an outage too. */
  clear(): void {
    this.#things = [];
  }

  with(mark: (thing: ShopThing) => boolean): readonly ShopThing[] {
    return this.#things.filter(mark);
  }

  count(wanted: (thing: ShopThing) => boolean): Inventory {
    const counts: Record<string, number> = {};
    for (const { type } of this.with(wanted)) counts[type] = (counts[type] ?? 0) + 1;
    return counts;
  }

  #answer(): void {
    if (this.isDown) throw new BowlineError("ConnectionFailed", "The shop does not answer.");
  }
}
