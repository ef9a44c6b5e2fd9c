import { BowlineError } from "@bowline/core";

/** A thing that somebody has made there. */
export interface FakeThing {
  readonly id: string;
  readonly type: string;
  readonly token: string;
  readonly clusterId: string;
  size: number;
  readyAtMs: number;
}

/**
 * Somewhere to make clusters: it counts what is asked of it, takes its time, and fails on command. It outlives whoever
 * works with it, as a cloud does.
 */
export class FakeCloud {
  things: FakeThing[] = [];
  /** Whatever changed something, in order: `create network`, `delete nodes`. */
  readonly calls: string[] = [];
  /** How long a thing takes from its creation until it can be used. */
  readyAfterMs = 0;
  /** The way into a cluster that is there. */
  kubeconfig = "";
  /** How often the way in was asked to close: it is closed at the second time. */
  revocations = 0;
  /** Names of what stays after a deletion. */
  leftOver: string[] = [];
  /** By the beginning of a call: thrown instead of it, every time until it is taken away. */
  readonly failures = new Map<string, Error>();
  /** By the beginning of a call: it happens, and whoever asked for it is never told. */
  readonly hangs = new Set<string>();
  #made = 0;

  create(thing: Omit<FakeThing, "id" | "readyAtMs">, nowMs: number): FakeThing {
    this.#made += 1;
    const made = { ...thing, id: `${thing.type}-${this.#made}`, readyAtMs: nowMs + this.readyAfterMs };
    this.things.push(made);
    return made;
  }

  remove(id: string): void {
    this.things = this.things.filter((thing) => thing.id !== id);
  }

  /** Does what a call asks for, unless it is to fail; `signal` ends the wait for one that hangs. */
  async called<T>(call: string, signal: AbortSignal, does: () => T): Promise<T> {
    for (const [start, error] of this.failures) if (call.startsWith(start)) throw error;
    this.calls.push(call);
    const result = does();
    if (![...this.hangs].some((start) => call.startsWith(start))) return result;
    const never = Promise.withResolvers<T>();
    const abort = (): void => never.reject(new BowlineError("Cancelled", "The call was given up."));
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    return never.promise;
  }
}
