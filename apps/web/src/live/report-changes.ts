import type { ReportChange } from "@bowline/api";
import { useEffect, useRef } from "react";

import { useLive, type ListOptions } from "./live-context.tsx";
import { pageClock, type PageClock } from "./page-clock.ts";

const byClusterAndTopic: ListOptions<ReportChange> = { keyOf: ({ cluster, topic }) => `${cluster}/${topic}` };

export interface Reports {
  /** Another text whenever the server says that something has changed. */
  readonly version: string;
  /** Nobody will say so: whoever wants to know has to ask. */
  readonly isDeaf: boolean;
}

/** When agents have told something else, of some clusters or of all that one may see. */
export function useReports(topic: ReportChange["topic"], clusters?: readonly string[]): Reports {
  const some = clusters === undefined ? {} : { cluster: clusters.toSorted().join(",") };
  const query = new URLSearchParams({ topic, ...some });
  const { items, phase, failure } = useLive(`/api/v1/reports?${query}`, byClusterAndTopic);
  const versions = [...items.values()].map(({ resourceVersion }) => resourceVersion);
  // Whatever changed before the server listened, or while the connection was lost, was not told: what comes after it
  // is another version, too.
  const isListening = phase === "live" || phase === "late";
  return { version: [isListening, ...versions].join(" "), isDeaf: failure !== undefined };
}

/** Changes come in swarms, while a rollout is under way: they are answered once they have settled. */
const settleMs = 700;
/** And not more often than this, however long they go on. */
const apartMs = 3_000;

/** Calls back after something has changed; many changes are one call, and the next is a while apart. */
export class SettledCalls {
  readonly #clock: PageClock;
  readonly #call: () => void;
  #calledAtMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(clock: PageClock, call: () => void) {
    this.#clock = clock;
    this.#call = call;
  }

  changed(): void {
    if (this.#cancel !== undefined) return;
    const restMs = this.#calledAtMs + apartMs - this.#clock.now();
    this.#cancel = this.#clock.after(Math.max(settleMs, restMs), () => {
      this.#cancel = undefined;
      this.#calledAtMs = this.#clock.now();
      this.#call();
    });
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** Asks again when the version is another one than when it was asked before. */
export function useAskAgain(version: string, ask: () => unknown): void {
  const latest = useRef(ask);
  const calls = useRef<SettledCalls>(undefined);
  const seen = useRef(version);
  useEffect(() => {
    latest.current = ask;
  });
  useEffect(() => {
    const settled = new SettledCalls(pageClock, () => void latest.current());
    calls.current = settled;
    return () => settled.close();
  }, []);
  useEffect(() => {
    if (seen.current === version) return;
    seen.current = version;
    calls.current?.changed();
  }, [version]);
}
