export interface ObjectRateOptions {
  /** How many at once after a pause. */
  readonly burst: number;
  /** One more each. */
  readonly perPermitMs: number;
  readonly maxObjects: number;
}

/** A token bucket for each of many objects, forgetting the object that was quiet longest when there are too many. */
export class ObjectRate {
  readonly #options: ObjectRateOptions;
  /** When the next permit of an object is due, had it saved none. */
  readonly #nextPermitMs = new Map<string, number>();

  constructor(options: ObjectRateOptions) {
    this.#options = options;
  }

  tryTake(key: string, nowMs: number): boolean {
    const { burst, perPermitMs, maxObjects } = this.#options;
    const savedFromMs = nowMs - (burst - 1) * perPermitMs;
    const permitMs = Math.max(this.#nextPermitMs.get(key) ?? savedFromMs, savedFromMs);
    if (permitMs > nowMs) return false;
    // Taken out and put in again, an object moves to the end: the first is the one quiet longest.
    this.#nextPermitMs.delete(key);
    this.#nextPermitMs.set(key, permitMs + perPermitMs);
    const [oldest] = this.#nextPermitMs.keys();
    if (this.#nextPermitMs.size > maxObjects && oldest !== undefined) this.#nextPermitMs.delete(oldest);
    return true;
  }
}
