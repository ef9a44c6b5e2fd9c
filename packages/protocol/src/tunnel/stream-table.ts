import { TransientSet } from "@bowline/core";

import type { Exchange } from "./exchange.ts";

/** The streams of a tunnel that are under way, by number. Numbers only go up, so one that is gone is known by its number. */
export class StreamTable {
  readonly #exchanges = new TransientSet<Exchange>();
  /** Where among them each number is: for what a `Map` of the streams themselves costs, see there. */
  readonly #slots = new Map<number, number>();
  #lastId = 0;

  get size(): number {
    return this.#exchanges.size;
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** Whether the number was ever used: frames may still be under way for a stream that one side has left already. */
  wasUsed(id: number): boolean {
    return id <= this.#lastId;
  }

  use(id: number): void {
    this.#lastId = id;
  }

  get(id: number): Exchange | undefined {
    const slot = this.#slots.get(id);
    return slot === undefined ? undefined : this.#exchanges.at(slot);
  }

  add(exchange: Exchange): void {
    this.#exchanges.add(exchange);
    this.#slots.set(exchange.id, exchange.slot);
  }

  remove(exchange: Exchange): void {
    this.#exchanges.delete(exchange);
    this.#slots.delete(exchange.id);
  }

  /** Those that end while they are walked are no trouble. */
  values(): Iterable<Exchange> {
    return this.#exchanges;
  }
}
