import type { Clock } from "@bowline/core";

/** Closes what has been of no use for a while. One timer serves all: those that were added first end first. */
export class IdleConnections<C extends { destroy(): void }> {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #endsMs = new Map<C, number>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  get size(): number {
    return this.#endsMs.size;
  }

  add(connection: C): void {
    this.#endsMs.delete(connection);
    this.#endsMs.set(connection, this.#clock.monotonicMs() + this.#limitMs);
    this.#arm();
  }

  delete(connection: C): void {
    this.#endsMs.delete(connection);
    if (this.#endsMs.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(): void {
    const [endMs] = this.#endsMs.values();
    if (this.#cancel !== undefined || endMs === undefined) return;
    this.#cancel = this.#clock.after(Math.max(0, endMs - this.#clock.monotonicMs()), () => this.#end());
  }

  #end(): void {
    this.#cancel = undefined;
    const nowMs = this.#clock.monotonicMs();
    for (const [connection, endMs] of this.#endsMs) {
      if (endMs > nowMs) break;
      this.#endsMs.delete(connection);
      connection.destroy();
    }
    this.#arm();
  }
}
