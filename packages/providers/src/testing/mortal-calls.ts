import type { Call } from "../provider.ts";
import type { ResourceRecords } from "../resource-record.ts";

/** Thrown where a process is to die: nothing after it happens. */
export class Died extends Error {
  constructor() {
    super("The process died here.");
    this.name = "Died";
  }
}

/**
 * What one process does to the world and to its records. It lets a number of these things happen, and dies right after
 * the last of them, before anybody hears of its outcome.
 */
export class MortalCalls {
  /** What was done, in order; of calls their subject. */
  readonly subjects: string[] = [];
  #left: number;
  #isDead = false;

  constructor(calls = Infinity) {
    this.#left = calls;
  }

  /** A provider may have swallowed what was thrown where it died. */
  get isDead(): boolean {
    return this.#isDead;
  }

  readonly call: Call = (subject, call) => this.#do(subject, call);

  /** The records, as this process writes them: it dies after each of these writes as well. */
  writesTo(records: ResourceRecords): ResourceRecords {
    return {
      list: () => (this.#isDead ? Promise.reject(new Died()) : records.list()),
      put: (record) => this.#do(`record ${record.step} ${record.state}`, () => records.put(record)),
    };
  }

  async #do<T>(subject: string, act: () => Promise<T>): Promise<T> {
    if (this.#isDead) throw new Died();
    this.subjects.push(subject);
    this.#left -= 1;
    const isLast = this.#left <= 0;
    const result = await act();
    if (isLast) {
      this.#isDead = true;
      throw new Died();
    }
    return result;
  }
}
