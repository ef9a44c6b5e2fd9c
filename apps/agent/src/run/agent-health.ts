import { BowlineError, type Clock, type Metrics } from "@bowline/core";
import { Health } from "@bowline/program/health";

import type { ServerLinks } from "../session/server-links.ts";
import type { ReporterElection } from "./reporter-election.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { ClusterReporter, ReportStatus } from "./cluster-reporter.ts";

export type WatchedLinks = Pick<ServerLinks, "sessions" | "problem">;

/** Whether servers can reach the cluster through the agent. */
export class AgentHealth {
  readonly ready: Health;
  #links: WatchedLinks | undefined;

  constructor(clock: Clock, stopping: AbortSignal) {
    this.ready = new Health({ clock });
    this.ready.add("session", () => this.#requireSession());
    this.ready.add("running", () => stopping.throwIfAborted());
  }

  /** The agent has joined, and connects. */
  watch(links: WatchedLinks): void {
    this.#links = links;
  }

  #requireSession(): void {
    if (this.#links === undefined)
      throw new BowlineError("ServerUnavailable", "The agent has not joined yet.");
    if (this.#links.sessions.some(({ isServing }) => isServing)) return;
    throw this.#links.problem ?? new BowlineError("ServerUnavailable", "The agent is not connected yet.");
  }
}

export interface MeasuredParts {
  readonly links: Pick<ServerLinks, "sessions" | "connects">;
  readonly upstream: Pick<Upstream, "counts" | "openStreams">;
  readonly reporter: Pick<ReporterElection, "isReporter">;
  readonly workloads: Pick<ClusterReporter, "status">;
}

/** Shows what sessions and tunnels do. Returns what brings the numbers up to date; nothing is counted twice meanwhile. */
export function addAgentMetrics(metrics: Metrics, parts: MeasuredParts): () => void {
  const { links, upstream, reporter } = parts;
  const { counts } = upstream;
  const refreshReports = addReportMetrics(metrics, parts.workloads);
  const sessions = metrics.gauge({
    name: "bowline_agent_sessions",
    help: "Sessions with servers that are open.",
  });
  const roundTrip = metrics.gauge({
    name: "bowline_agent_session_round_trip_seconds",
    help: "How long the last heartbeat took to the server and back; absent before the first.",
    labelNames: ["session"],
  });
  const streams = metrics.gauge({
    name: "bowline_agent_streams",
    help: "Requests from servers that are under way.",
  });
  const heldBytes = metrics.gauge({
    name: "bowline_agent_held_bytes",
    help: "Bytes from servers that wait to be taken by the API server.",
  });
  const isReporter = metrics.gauge({
    name: "bowline_agent_is_reporter",
    help: "1 for the agent of its cluster that reports, 0 for the others.",
  });
  const refreshTotals = [
    total("connects", "Sessions that were opened.", () => links.connects),
    total("streams", "Requests that came from servers.", () => counts.streams),
    total("refused_streams", "Requests that the agent refused.", () => counts.refused),
    total("request_bytes", "Bytes from servers to the API server.", () => counts.requestBytes),
    total("answer_bytes", "Bytes from the API server to servers.", () => counts.answerBytes),
  ];

  return () => {
    sessions.set(links.sessions.length);
    streams.set(upstream.openStreams);
    heldBytes.set(links.sessions.reduce((sum, session) => sum + session.heldBytes, 0));
    isReporter.set(reporter.isReporter ? 1 : 0);
    roundTrip.reset();
    for (const [index, { roundTripMs }] of links.sessions.entries()) {
      if (roundTripMs !== undefined) roundTrip.set({ session: String(index + 1) }, roundTripMs / 1000);
    }
    for (const refresh of refreshTotals) refresh();
    refreshReports();
  };

  function total(name: string, help: string, read: () => number): () => void {
    return addTotal(metrics, { name: `bowline_agent_${name}_total`, help }, read);
  }
}

function addReportMetrics(metrics: Metrics, workloads: MeasuredParts["workloads"]): () => void {
  const gauge = (
    name: string,
    help: string,
    read: (now: ReportStatus) => number,
  ): ((now: ReportStatus) => void) => {
    const added = metrics.gauge({ name: `bowline_agent_${name}`, help });
    return (now) => added.set(read(now));
  };
  const gauges = [
    gauge("workloads", "Workloads that are watched.", ({ workloads }) => workloads),
    gauge("watches", "Watches of the agent at the API server.", ({ watches }) => watches.length),
    gauge(
      "watch_problems",
      "Kinds that cannot be watched; /reports names them.",
      ({ problems }) => problems.length,
    ),
    gauge("watched_objects", "Objects of watched kinds.", ({ objects }) => objects),
    gauge("report_queue_items", "Observations that wait to be sent.", ({ queued }) => queued.items),
    gauge("report_queue_bytes", "Memory that they take.", ({ queued }) => queued.bytes),
    gauge(
      "report_deferred",
      "Objects and events to be read again when there is room.",
      ({ deferred }) => deferred,
    ),
    gauge("report_unacknowledged_batches", "Batches under way.", (now) => now.unacknowledgedBatches),
  ];
  const totals = [
    total("report_batches", "Batches that were sent.", ({ batches }) => batches),
    total("report_items", "Observations that were sent, again or for the first time.", ({ items }) => items),
    total("report_refused_items", "Observations that the server will never store.", ({ refused }) => refused),
    total(
      "report_dropped_events",
      "Events that the cluster forgot before they could be sent.",
      (now) => now.dropped,
    ),
    total("report_epochs", "How often everything was observed anew.", ({ epochs }) => epochs),
  ];

  return () => {
    const now = workloads.status();
    for (const refresh of gauges) refresh(now);
    for (const refresh of totals) refresh();
  };

  function total(name: string, help: string, read: (counts: ReportStatus["counts"]) => number): () => void {
    return addTotal(metrics, { name: `bowline_agent_${name}_total`, help }, () =>
      read(workloads.status().counts),
    );
  }
}

function addTotal(
  metrics: Metrics,
  names: { readonly name: string; readonly help: string },
  read: () => number,
): () => void {
  const counter = metrics.counter(names);
  let told = 0;
  return () => {
    const now = read();
    counter.inc(now - told);
    told = now;
  };
}
