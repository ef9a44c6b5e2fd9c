/** A state, and when it was seen. */
interface Sighting<State> {
  readonly atMs: number;
  readonly state: State;
}

export interface Search {
  /** Nothing that was seen before this; see `mark`. */
  readonly after: number;
  /** By the clock of `performance.now()`. */
  readonly untilMs: number;
}

/** One side of what is compared: all its states, in the order in which they were seen, each with its moment. */
export class View<State> {
  readonly #name: string;
  readonly #seen: Sighting<State>[] = [];
  #changed = Promise.withResolvers<void>();

  constructor(name: string) {
    this.#name = name;
  }

  /** How much has been seen so far. */
  get mark(): number {
    return this.#seen.length;
  }

  get latest(): State | undefined {
    return this.#seen.at(-1)?.state;
  }

  /** All that was seen from a mark on, with what was shown at that moment. */
  since(mark: number): State[] {
    return this.#seen.slice(Math.max(0, mark - 1)).map(({ state }) => state);
  }

  add(state: State): void {
    this.#seen.push({ atMs: performance.now(), state });
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** The moment at which it was so for the first time; rejects when it was not so by then. */
  async firstSeen(isSo: (state: State) => boolean, { after, untilMs }: Search): Promise<number> {
    for (let next = after; ;) {
      for (; next < this.#seen.length; next += 1) {
        const sighting = this.#seen[next];
        if (sighting !== undefined && isSo(sighting.state)) return this.#inTime(sighting, untilMs);
      }
      const timeLeftMs = untilMs - performance.now();
      if (timeLeftMs <= 0) throw this.#failure("does not show it in time");
      await this.#change(timeLeftMs);
    }
  }

  #inTime({ atMs }: Sighting<State>, untilMs: number): number {
    if (atMs <= untilMs) return atMs;
    throw this.#failure(`shows it ${Math.round(atMs - untilMs)} ms too late`);
  }

  #failure(how: string): Error {
    return new Error(`${this.#name} ${how}. It shows: ${JSON.stringify(this.latest)}`);
  }

  async #change(limitMs: number): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, limitMs);
    await Promise.race([this.#changed.promise, late.promise]);
    clearTimeout(timer);
  }
}
