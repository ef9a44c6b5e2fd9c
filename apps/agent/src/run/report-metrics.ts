import type { Metrics } from "@bowline/core";

import type { ConsumerCounts } from "../observe/router.ts";
import type { ClusterReporter, ReportStatus } from "./cluster-reporter.ts";

/** Shows what is observed and reported. Returns what brings the numbers up to date. */
export function addReportMetrics(metrics: Metrics, workloads: Pick<ClusterReporter, "status">): () => void {
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
    gauge("graph_queue_items", "Facts that wait to be sent.", ({ graph }) => graph.queued.items),
    gauge("graph_queue_bytes", "Memory that they take.", ({ graph }) => graph.queued.bytes),
    gauge(
      "graph_unacknowledged_batches",
      "Batches of facts under way.",
      ({ graph }) => graph.unacknowledgedBatches,
    ),
  ];
  const totals = [
    total("report_batches", "Batches that were sent.", ({ counts }) => counts.batches),
    total(
      "report_items",
      "Observations that were sent, again or for the first time.",
      ({ counts }) => counts.items,
    ),
    total(
      "report_refused_items",
      "Observations that the server will never store.",
      ({ counts }) => counts.refused,
    ),
    total(
      "report_dropped_events",
      "Events that the cluster forgot before they could be sent.",
      ({ counts }) => counts.dropped,
    ),
    total("report_epochs", "How often everything was observed anew.", ({ counts }) => counts.epochs),
    total("graph_items", "Facts, views and the like that were sent.", ({ graph }) => graph.counts.items),
    total(
      "graph_refused_items",
      "Those that the server will never store.",
      ({ graph }) => graph.counts.refused,
    ),
    total("graph_epochs", "How often the graph was observed anew.", ({ graph }) => graph.counts.epochs),
    total(
      "graph_facts_told",
      "Facts that differ from what the server knows.",
      ({ graph }) => graph.facts.told,
    ),
    total("graph_facts_unchanged", "Facts that the server knows.", ({ graph }) => graph.facts.unchanged),
    total("graph_facts_refused", "Facts that there was no room for.", ({ graph }) => graph.facts.refused),
    total(
      "graph_facts_cut",
      "Facts of objects that say more than is told of one.",
      ({ graph }) => graph.facts.cut,
    ),
    total("views_told", "Views that had other numbers than before.", ({ graph }) => graph.views.told),
    total("views_unchanged", "Views that had not.", ({ graph }) => graph.views.unchanged),
  ];
  const refreshConsumers = addConsumerMetrics(metrics);

  return () => {
    const now = workloads.status();
    for (const refresh of gauges) refresh(now);
    for (const refresh of totals) refresh(now);
    refreshConsumers(now);
  };

  function total(
    name: string,
    help: string,
    read: (now: ReportStatus) => number,
  ): (now: ReportStatus) => void {
    return addTotal(metrics, { name: `bowline_agent_${name}_total`, help }, read);
  }
}

const consumerTotals: readonly (readonly [keyof ConsumerCounts, name: string, help: string])[] = [
  ["delivered", "messages", "Messages of watches that were brought to a consumer."],
  ["deferred", "deferred", "Objects that a consumer had no room for, or failed on: they are read again."],
  [
    "merged",
    "merged",
    "Objects that changed again before that: the latest is told, and those between are not.",
  ],
  ["lost", "lost", "Objects that were gone by then, or on which a consumer failed again and again."],
  ["failures", "failures", "Times that a consumer threw."],
];

/** What the router brings to graph, views and workloads. */
function addConsumerMetrics(metrics: Metrics): (now: ReportStatus) => void {
  const labelNames = ["consumer"] as const;
  const waiting = metrics.gauge({
    name: "bowline_agent_consumer_waiting",
    help: "Objects that are to be read again for a consumer.",
    labelNames,
  });
  const totals = consumerTotals.map(([count, name, help]) => {
    const counter = metrics.counter({ name: `bowline_agent_consumer_${name}_total`, help, labelNames });
    const told = new Map<string, number>();
    return (consumer: string, counts: Readonly<ConsumerCounts>): void => {
      counter.inc({ consumer }, counts[count] - (told.get(consumer) ?? 0));
      told.set(consumer, counts[count]);
    };
  });
  return ({ consumers }) => {
    waiting.reset();
    for (const [consumer, state] of Object.entries(consumers)) {
      waiting.set({ consumer }, state.waiting);
      for (const refresh of totals) refresh(consumer, state);
    }
  };
}

/** A counter that follows a number which somebody else counts. */
export function addTotal<State = void>(
  metrics: Metrics,
  names: { readonly name: string; readonly help: string },
  read: (state: State) => number,
): (state: State) => void {
  const counter = metrics.counter(names);
  let told = 0;
  return (state) => {
    const now = read(state);
    counter.inc(now - told);
    told = now;
  };
}
