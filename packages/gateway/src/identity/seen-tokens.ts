/** Enough for thousands of agents that reconnect at once; each takes some hundred bytes for about two minutes. */
const maxTokens = 100_000;

/** Remembers the tokens that were used until they end by themselves, so that none is used twice. */
export class SeenTokens {
  /** When each ends; those that came first are first. */
  readonly #endsMs = new Map<string, number>();

  /** False when it was used before. */
  use(id: string, endMs: number, nowMs: number): boolean {
    this.#forget(nowMs);
    if (this.#endsMs.has(id)) return false;
    this.#endsMs.set(id, endMs);
    return true;
  }

  get size(): number {
    return this.#endsMs.size;
  }

  /** Tokens live equally long, more or less, so those that end first are in front. */
  #forget(nowMs: number): void {
    for (const [id, endMs] of this.#endsMs) {
      if (endMs > nowMs && this.#endsMs.size < maxTokens) return;
      this.#endsMs.delete(id);
    }
  }
}
