import type { BowlineError, Counter, Metrics } from "@bowline/core";

import { failureOf } from "./answer/failure.ts";
import type { OpenCounts } from "./transfer/open-requests.ts";

export interface RequestFigures {
  readonly cluster: string;
  readonly status: number;
  readonly requestBytes: number;
  readonly answerBytes: number;
}

/** Counts of one cluster since they were last read. */
interface Tally {
  /** By the first digit of the status; 0 for those without an answer. */
  readonly requests: [number, number, number, number, number, number];
  requestBytes: number;
  answerBytes: number;
}

/** Further clusters share the label `other`: each name is a series of its own in several metrics. */
const maxClusterLabels = 500;
const codes = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"];

export class ProxyMetrics {
  readonly #requests: Counter<"cluster" | "code">;
  readonly #bytes: Counter<"cluster" | "direction">;
  readonly #failures: Counter<"reason">;
  readonly #auditDropped: Counter;
  readonly #tallies = new Map<string, Tally>();

  constructor(metrics: Metrics, open: () => OpenCounts) {
    // The first to be registered is the first to be read: it hands over what the counters have to say.
    metrics.gauge({
      name: "bowline_proxy_open",
      help: "Requests to clusters under way: plain ones, streams such as watches, and upgraded connections.",
      labelNames: ["type"],
      collect: (gauge) => {
        this.#handOver();
        const { requests, streams, upgrades } = open();
        gauge.set({ type: "request" }, requests);
        gauge.set({ type: "stream" }, streams);
        gauge.set({ type: "upgrade" }, upgrades);
      },
    });
    this.#requests = metrics.counter({
      name: "bowline_proxy_requests_total",
      help: "Requests that were sent to clusters, by cluster and class of the answer's status.",
      labelNames: ["cluster", "code"],
    });
    this.#bytes = metrics.counter({
      name: "bowline_proxy_bytes_total",
      help: "Bytes of bodies, in to clusters and out of them.",
      labelNames: ["cluster", "direction"],
    });
    this.#failures = metrics.counter({
      name: "bowline_proxy_failures_total",
      help: "Requests for clusters that the server answered itself, by the reason it gave.",
      labelNames: ["reason"],
    });
    this.#auditDropped = metrics.counter({
      name: "bowline_proxy_audit_dropped_total",
      help: "Audit records of requests to clusters that were lost, because the database did not take them in time.",
    });
  }

  ended({ cluster, status, requestBytes, answerBytes }: RequestFigures): void {
    const tally = this.#tally(cluster);
    const digit = Math.floor(status / 100);
    tally.requests[digit] = (tally.requests[digit] ?? 0) + 1;
    tally.requestBytes += requestBytes;
    tally.answerBytes += answerBytes;
  }

  failed(error: BowlineError): void {
    this.#failures.inc({ reason: failureOf(error).reason });
  }

  auditDropped(count: number): void {
    this.#auditDropped.inc(count);
  }

  #tally(cluster: string): Tally {
    const known = this.#tallies.get(cluster);
    if (known !== undefined) return known;
    if (this.#tallies.size >= maxClusterLabels && cluster !== "other") return this.#tally("other");
    const tally: Tally = { requests: [0, 0, 0, 0, 0, 0], requestBytes: 0, answerBytes: 0 };
    this.#tallies.set(cluster, tally);
    return tally;
  }

  /** Counting with labels is too dear to be done for every request. */
  #handOver(): void {
    for (const [cluster, tally] of this.#tallies) {
      for (const [digit, count] of tally.requests.entries()) {
        if (count > 0) this.#requests.inc({ cluster, code: codes[digit] ?? "none" }, count);
      }
      this.#bytes.inc({ cluster, direction: "in" }, tally.requestBytes);
      this.#bytes.inc({ cluster, direction: "out" }, tally.answerBytes);
      tally.requests.fill(0);
      tally.requestBytes = 0;
      tally.answerBytes = 0;
    }
  }
}
