import { TransientSet } from "@bowline/core";

import type { MultiplexedStream } from "./multiplexed-stream.ts";

/** The streams of a tunnel that are under way, by number. Numbers only go up, so one that is gone is known by its number. */
export class StreamTable {
  readonly #streams = new TransientSet<MultiplexedStream>();
  /** Where among them each number is: for what a `Map` of the streams themselves costs, see there. */
  readonly #slots = new Map<number, number>();
  #lastId = 0;

  get size(): number {
    return this.#streams.size;
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

  get(id: number): MultiplexedStream | undefined {
    const slot = this.#slots.get(id);
    return slot === undefined ? undefined : this.#streams.at(slot);
  }

  add(stream: MultiplexedStream): void {
    this.#streams.add(stream);
    this.#slots.set(stream.id, stream.slot);
  }

  remove(stream: MultiplexedStream): void {
    this.#streams.delete(stream);
    this.#slots.delete(stream.id);
  }

  /** Streams that end while they are walked are no trouble. */
  values(): Iterable<MultiplexedStream> {
    return this.#streams;
  }
}
