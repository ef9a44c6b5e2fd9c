import { beginningOfTime, compareTimes, type LogTime } from "./log-line.ts";

/**
 * Which lines of one container have been seen, for asking again from there. A server goes back to the beginning of the
 * second that it is given, so some lines come a second time; the times of a container's lines never go back, so these
 * are the first ones, up to the last that was seen. Lines of the same nanosecond are told apart by counting them.
 */
export class SeenLines {
  #last: LogTime = beginningOfTime;
  /** How many lines of that very moment were seen. */
  #atLast = 0;
  /** How many of them have come again since it was asked anew. */
  #again = 0;
  #isResuming = false;

  get last(): LogTime {
    return this.#last;
  }

  /** Where to go on, as `sinceTime`; undefined where nothing was seen. */
  get sinceTime(): string | undefined {
    return this.#last.ms === 0 ? undefined : new Date(this.#last.ms).toISOString();
  }

  /** The lines that come now may be some that were seen. */
  resume(): void {
    this.#isResuming = this.#last.ms > 0;
    this.#again = 0;
  }

  /**
   * Whether a line is new; `gap` where nothing that was seen came again before it, so that something may be missing in
   * between.
   */
  admit(time: LogTime): "new" | "seen" | "gap" {
    const order = compareTimes(time, this.#last);
    if (this.#isResuming && order <= 0) {
      if (order < 0) return "seen";
      this.#again += 1;
      if (this.#again <= this.#atLast) return "seen";
    }
    const isGap = this.#isResuming && this.#again === 0;
    this.#isResuming = false;
    if (order > 0) {
      this.#last = time;
      this.#atLast = 1;
    } else if (order === 0) this.#atLast += 1;
    return isGap ? "gap" : "new";
  }
}
