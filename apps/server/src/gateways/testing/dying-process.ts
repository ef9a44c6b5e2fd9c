/** Before the deed, or after it, before anybody has heard of it. */
export type Moment = "before" | "after";

/** A process that dies at its n-th write, wherever that goes, and does nothing any more from then on. */
export class DyingProcess {
  readonly #at: number;
  readonly #moment: Moment;
  #writes = 0;

  constructor(at: number, moment: Moment = "before") {
    this.#at = at;
    this.#moment = moment;
  }

  get hasDied(): boolean {
    return this.#writes > this.#at;
  }

  /** Something outside as the process has it, and which of its methods write there. */
  using<T extends object>(outside: T, writes: ReadonlySet<string | symbol>): T {
    return new Proxy(outside, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...given: unknown[]): unknown => {
          const wasAlive = !this.hasDied;
          if (writes.has(name)) this.#writes += 1;
          if (!this.hasDied) return Reflect.apply(member, target, given);
          if (wasAlive && this.#moment === "after") return unheard(Reflect.apply(member, target, given));
          throw new Error("The process has died.");
        };
      },
    });
  }
}

async function unheard(deed: unknown): Promise<never> {
  await deed;
  throw new Error("The process has died.");
}
