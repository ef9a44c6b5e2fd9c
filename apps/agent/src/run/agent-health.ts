import { BowlineError, type Clock, type Metrics } from "@bowline/core";
import { Health } from "@bowline/program/health";

import type { ServerLinks } from "../session/server-links.ts";
import type { ReporterElection } from "./reporter-election.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { ClusterReporter } from "./cluster-reporter.ts";
import { addReportMetrics, addTotal } from "./report-metrics.ts";

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
