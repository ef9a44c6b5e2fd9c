import { readFileSync } from "node:fs";

import { Metrics } from "@bowline/core";
import { expect, test } from "vitest";

import type { ReportStatus } from "./cluster-reporter.ts";
import { addReportMetrics } from "./report-metrics.ts";

const counts = { batches: 2, items: 30, refused: 1, dropped: 0, epochs: 1 };
const topic = {
  isReporting: true,
  epoch: "1",
  queued: { items: 4, bytes: 500 },
  unacknowledgedBatches: 1,
  lastAcknowledgedAt: undefined,
  connectionProblem: undefined,
  lastRefusal: undefined,
  counts,
  isComplete: true,
  deferred: 3,
};

function statusWith(delivered: number, told: number): ReportStatus {
  return {
    ...topic,
    workloads: 1,
    objects: 10,
    watches: [],
    problems: [],
    graph: {
      ...topic,
      coverage: [],
      facts: { told, unchanged: 7, refused: 2, cut: 1 },
      views: { told: 5, unchanged: 6 },
    },
    consumers: {
      graph: { delivered, deferred: 2, merged: 1, lost: 0, failures: 0, waiting: 2 },
      views: { delivered: 3, deferred: 0, merged: 0, lost: 0, failures: 1, waiting: 0 },
    },
  };
}

test("what is routed, made into facts and viewed is counted, and each metric is in the reference", async () => {
  const metrics = new Metrics({ version: "1", revision: "a" });
  let now = statusWith(8, 9);
  const refresh = addReportMetrics(metrics, { status: () => now });
  refresh();
  now = statusWith(11, 12);
  refresh();
  const text = await metrics.text();
  const values = Object.fromEntries(
    Array.from(text.matchAll(/^(bowline_agent_\S+) (\S+)$/gmu), ([, name, value]) => [name, Number(value)]),
  );
  expect(values).toMatchObject({
    'bowline_agent_consumer_messages_total{consumer="graph"}': 11,
    'bowline_agent_consumer_messages_total{consumer="views"}': 3,
    'bowline_agent_consumer_merged_total{consumer="graph"}': 1,
    'bowline_agent_consumer_failures_total{consumer="views"}': 1,
    'bowline_agent_consumer_waiting{consumer="graph"}': 2,
    bowline_agent_graph_queue_items: 4,
    bowline_agent_graph_facts_told_total: 12,
    bowline_agent_graph_facts_unchanged_total: 7,
    bowline_agent_graph_facts_refused_total: 2,
    bowline_agent_graph_facts_cut_total: 1,
    bowline_agent_views_told_total: 5,
    bowline_agent_report_items_total: 30,
  });
  const page = readFileSync(new URL("../../../../docs/reference/agent.md", import.meta.url), "utf8");
  const names = Object.keys(values).map((name) => name.replace(/\{.*$/u, ""));
  expect([...new Set(names)].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
