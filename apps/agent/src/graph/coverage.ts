import type { Clock } from "@bowline/core";
import { CoverageState } from "@bowline/protocol";

import type { WatchScope } from "../observe/kind-watch.ts";
import { splitKind } from "../observe/kube-message.ts";
import { timestamp } from "../report/report-item.ts";
import type { ReportQueue } from "../report/report-queue.ts";

/** How much is known of a kind, since when, for people. */
export interface KindCoverage {
  readonly kind: string;
  /** Empty for all of them. */
  readonly namespace: string;
  readonly state: "observed" | "forbidden" | "absent" | "failing";
  readonly message: string;
  readonly since: string;
}

type State = KindCoverage["state"];

const states: Readonly<Record<State, CoverageState>> = {
  observed: CoverageState.OBSERVED,
  forbidden: CoverageState.FORBIDDEN,
  absent: CoverageState.ABSENT,
  failing: CoverageState.FAILING,
};

interface Told {
  readonly kind: string;
  readonly namespace: string;
  readonly state: State;
  readonly message: string;
  readonly sinceMs: number;
}

/** A watch that breaks is there again soon; what lasts longer is told. */
const toleranceMs = 10_000;
const itemBytes = 300;

/** Tells the server how much is known of each kind, whenever that changes. */
export class Coverage {
  readonly #queue: ReportQueue;
  readonly #clock: Clock;
  readonly #told = new Map<string, Told>();
  /** Since when a kind has failed, in which nobody was told yet. */
  readonly #failingSinceMs = new Map<string, number>();

  constructor(queue: ReportQueue, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
  }

  /** Whether anything was told of a kind as a whole. */
  has(kind: string): boolean {
    return this.#told.has(keyOf(kind, ""));
  }

  list(): KindCoverage[] {
    return [...this.#told.values()].map(({ sinceMs, ...told }) => {
      return { ...told, since: new Date(sinceMs).toISOString() };
    });
  }

  /** Looks at a watch once more. Returns the state, if it has just changed. */
  look(kind: string, scope: WatchScope): State | undefined {
    const { namespace } = scope;
    const key = keyOf(kind, namespace);
    const now = this.#stateOf(key, scope);
    const before = this.#told.get(key);
    if (now === undefined || (before?.state === now.state && before.message === now.message))
      return undefined;
    const sinceMs = before?.state === now.state ? before.sinceMs : this.#clock.now();
    const told = { kind, namespace, ...now, sinceMs };
    this.#told.set(key, told);
    this.#put(key, told);
    return before?.state === now.state ? undefined : now.state;
  }

  /**
   * A kind is watched in these namespaces, and in no others by themselves: they are gone, or one watch sees all. What was
   * told of them holds no longer.
   */
  retain(kind: string, namespaces: ReadonlySet<string>): void {
    for (const [key, told] of this.#told) {
      if (told.kind !== kind || told.namespace === "" || namespaces.has(told.namespace)) continue;
      this.#told.delete(key);
      this.#failingSinceMs.delete(key);
      const message = "The namespace is gone, or is observed with all others.";
      this.#put(key, { ...told, state: "absent", message, sinceMs: this.#clock.now() });
    }
  }

  #stateOf(
    key: string,
    { problem, error, isSynced }: WatchScope,
  ): Pick<Told, "state" | "message"> | undefined {
    if (problem !== undefined) {
      return { state: problem.reason === "KindUnknown" ? "absent" : "forbidden", message: problem.message };
    }
    if (error === undefined) {
      this.#failingSinceMs.delete(key);
      return isSynced ? { state: "observed", message: "" } : undefined;
    }
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = this.#failingSinceMs.get(key) ?? nowMs;
    this.#failingSinceMs.set(key, sinceMs);
    return nowMs - sinceMs < toleranceMs ? undefined : { state: "failing", message: error.message };
  }

  #put(key: string, { kind, namespace, state, message, sinceMs }: Told): void {
    const since = timestamp(sinceMs);
    const value = { ...splitKind(kind), namespace, state: states[state], message, since };
    const item = { item: { case: "coverage" as const, value } };
    // Small, and no more of them than there are watches.
    this.#queue.putAlways({ key: `coverage ${key}`, item, bytes: itemBytes + message.length });
  }
}

function keyOf(kind: string, namespace: string): string {
  return `${kind} ${namespace}`;
}
