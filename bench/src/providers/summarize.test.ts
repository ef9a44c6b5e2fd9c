import { expect, test } from "vitest";

import { summarize } from "./summarize.ts";

const hundred = {
  serverCpuShare: 0.2,
  programsCpuShare: 0.3,
  rssBeforeBytes: 120e6,
  rssBytes: 150e6,
  starts: 2_000,
  steps: 1_000,
};

const sdk = {
  process: { peakRssBytes: 80e6, cpuSeconds: 2, seconds: 130, starts: 1 },
  serverBeforeBytes: 120e6,
  serverDuringBytes: 125e6,
  serverAfterBytes: 122e6,
  calls: 400,
  begunSeconds: 20,
  stepSeconds: 0.02,
};

const none = { hundred: undefined, sdk: undefined, gateway: undefined, exec: undefined };

const times = (answered: number) => ({ answered, checks: { ClassFound: 0.5, Reachable: answered } });

test("tells the server's part from that of its programs, and the first Gateway from the others", () => {
  const gateway = { first: times(9), more: [times(6), times(4), times(5)] };
  const { figures, table } = summarize({ ...none, hundred, sdk, gateway });
  expect(figures).toMatchObject({
    hundredClustersCpuShare: 0.2,
    hundredProgramsCpuShare: 0.3,
    // A fifth of a core for a minute is 12 s, for 2,000 starts.
    hundredCpuMillisPerStart: 6,
    sdkRssBytes: 80e6,
    sdkAfterRssBytes: 122e6,
    gatewayAnswerSeconds: 9,
    gatewayNextAnswerSeconds: 5,
  });
  expect(table.rows.map(([name]) => name)).toEqual([
    "100 clusters in progress",
    "questions to the program",
    "process of the SDK",
    "a cluster on the fake of AWS",
    "server meanwhile",
    "first Gateway of a cluster",
    "Gateway 2",
    "Gateway 3",
    "Gateway 4",
  ]);
});

test("compares a Kubernetes with the one of the same round that the program made alone", () => {
  const rounds = [
    { program: 10, joining: 14, ready: 20, gone: 12 },
    { program: 20, joining: 24, ready: 30, gone: 11 },
    { program: 40, joining: 30, ready: 50, gone: 13 },
  ];
  const { ratios, figures, table } = summarize({ ...none, exec: { rounds } });
  expect(ratios).toEqual({ execReadyVsProgram: 1.5 });
  expect(figures).toEqual({
    execReadySeconds: 30,
    execJoiningSeconds: 24,
    execProgramSeconds: 20,
    execGoneSeconds: 12,
  });
  expect(table.rows).toHaveLength(3);
});

test("has nothing of parts that were left out", () => {
  const { figures, table } = summarize({ ...none, sdk });
  expect(Object.keys(figures).every((name) => name.startsWith("sdk"))).toBe(true);
  expect(table.rows).toHaveLength(3);
});
