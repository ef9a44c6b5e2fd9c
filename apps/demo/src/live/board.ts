import type { DemoState } from "./demo-state.ts";

/** What is known about the demo now. Those who find something out put it here; the view shows what is here. */
export class Board {
  #state: DemoState;
  readonly #listeners = new Set<(state: DemoState) => void>();

  constructor(state: DemoState) {
    this.#state = state;
  }

  get state(): DemoState {
    return this.#state;
  }

  update(change: (state: DemoState) => DemoState): void {
    const next = change(this.#state);
    if (next === this.#state) return;
    this.#state = next;
    for (const listener of this.#listeners) listener(next);
  }

  /** Returns what ends it. */
  subscribe(listener: (state: DemoState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
