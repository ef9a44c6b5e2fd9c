import { expect, test } from "vitest";

import { summarize, type StageMeasurement } from "./summarize.ts";

const latencies = (p95Ms: number) => ({
  count: 100,
  p50Ms: p95Ms / 2,
  p95Ms,
  maxMs: p95Ms * 2,
  cpuMs: p95Ms / 4,
});

const stage = (pods: number): StageMeasurement => ({
  complete: {
    pods,
    objects: pods * 1.5,
    storedSeconds: pods / 1_000,
    completeSeconds: pods / 1_000 + 1,
    agentRssBytes: pods * 15_000,
    serverRssBytes: pods * 25_000,
    agentCpuSeconds: 4,
    serverCpuSeconds: 5,
    sentBytes: pods * 900,
  },
  questions: {
    pods,
    each: [
      ["blast-radius", latencies(4)],
      ["search", latencies(30)],
    ],
    live: latencies(4),
    search: latencies(30),
    at: latencies(700),
    atAgain: latencies(5),
    liveRssBytes: 280e6,
    atRssBytes: 400e6,
  },
  changes: {
    perSecond: 998,
    mergedShare: 0.001,
    p50Ms: 40,
    p99Ms: 150,
    answerP50Ms: 60,
    answerP99Ms: 210,
    asked: latencies(8),
    agentCpu: 0.4,
    serverCpu: 0.5,
    agentRssBytes: 190e6,
    serverRssBytes: 310e6,
    bytesPerChange: 700,
  },
  restart: {
    pods,
    answeringSeconds: 3,
    firstAnswerSeconds: 1.5,
    agentRestartBytes: pods * 40,
    agentRestartSeconds: 6,
    serverRestartBytes: pods * 2,
  },
  load: {
    nodes: pods * 7,
    edges: pods * 23,
    objects: pods * 1.5,
    bytes: pods * 4_000,
    firstSeconds: 2,
    backSeconds: 1.5,
  },
});

test("tells memory and lag of the smaller cluster, and the rest of the larger one", () => {
  const { figures, table } = summarize({ small: stage(10_000), large: stage(25_000) });
  expect(figures).toMatchObject({
    complete10kSeconds: 11,
    complete25kSeconds: 26,
    agentRssBytes: 150e6,
    serverRssBytes: 250e6,
    lagP99Ms: 150,
    liveP95Ms: 4,
    atP95Ms: 700,
    searchP95Ms: 30,
    bytesPerPod: 4_000,
    reconnectBytesPer1000Pods: 40_000,
    startSeconds: 3,
    backSeconds: 1.5,
    blastRadiusP95Ms25k: 4,
    atAgainP95Ms10k: 5,
    atCpuMs25k: 175,
  });
  expect(table.rows.map(([name]) => name)).toContain("blast-radius, 25000 pods");
});

test("says nothing about parts that were left out", () => {
  const { complete, load } = stage(10_000);
  const small = { complete, load, questions: undefined, changes: undefined, restart: undefined };
  const { figures, table } = summarize({ small, large: undefined });
  for (const name of ["lagP99Ms", "liveP95Ms", "complete25kSeconds", "bytesPerPod"]) {
    expect(Object.keys(figures)).not.toContain(name);
  }
  expect(table.rows).toHaveLength(2);
});
