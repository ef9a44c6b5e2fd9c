import { compareTimes, type LogLine } from "./log-line.ts";

export interface LogRingLimits {
  readonly lines: number;
  readonly bytes: number;
}

const defaultRingLimits: LogRingLimits = { lines: 100_000, bytes: 64 * 1024 * 1024 };
/** What a line costs beside its text. */
const lineBytes = 64;

/** Lines by their time, the newest at the end; when it is full the oldest go, and are counted. */
export class LogRing {
  readonly #limits: LogRingLimits;
  #lines: LogLine[] = [];
  #bytes = 0;
  #lost = 0;

  constructor(limits: LogRingLimits = defaultRingLimits) {
    this.#limits = limits;
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many lines were dropped because there were too many. */
  get lost(): number {
    return this.#lost;
  }

  /**
   * Puts lines where their time belongs; of the same moment, those that came first stay first. Returns the lines that
   * had to go.
   */
  add(batch: readonly LogLine[]): readonly LogLine[] {
    const sorted = batch.toSorted((a, b) => compareTimes(a.time, b.time) || a.id - b.id);
    const place = this.#placeOf(sorted[0]);
    // Lines of one source come behind all others.
    const tail = place === this.#lines.length ? [] : this.#lines.splice(place);
    for (const line of tail.length === 0 ? sorted : merged(tail, sorted)) this.#lines.push(line);
    for (const line of sorted) this.#bytes += costOf(line);
    return this.#dropOldest();
  }

  clear(): void {
    this.#lines = [];
    this.#bytes = 0;
    this.#lost = 0;
  }

  /** Behind all lines that are not later. */
  #placeOf(line: LogLine | undefined): number {
    let low = 0;
    let high = this.#lines.length;
    if (line === undefined) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#lines[middle];
      if (other !== undefined && compareTimes(other.time, line.time) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #dropOldest(): readonly LogLine[] {
    const { lines, bytes } = this.#limits;
    let count = 0;
    // The newest line stays, however long it is.
    while (count < this.#lines.length - 1 && (this.#lines.length - count > lines || this.#bytes > bytes)) {
      const line = this.#lines[count];
      this.#bytes -= line === undefined ? 0 : costOf(line);
      count += 1;
    }
    this.#lost += count;
    return count === 0 ? [] : this.#lines.splice(0, count);
  }
}

function costOf({ text, plain }: LogLine): number {
  return lineBytes + text.length + (plain === text ? 0 : plain.length);
}

function* merged(a: readonly LogLine[], b: readonly LogLine[]): Generator<LogLine> {
  let at = 0;
  for (const line of b) {
    for (let other = a[at]; other !== undefined && compareTimes(other.time, line.time) <= 0; other = a[at]) {
      yield other;
      at += 1;
    }
    yield line;
  }
  yield* a.slice(at);
}
