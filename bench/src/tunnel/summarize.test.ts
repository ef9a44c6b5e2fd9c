import { expect, test } from "vitest";

import type { LoadResult } from "./load-order.ts";
import { summarize } from "./summarize.ts";
import { Turns } from "./turns.ts";

const requests = (perSecond: Readonly<Record<string, number>>): Turns<LoadResult> =>
  turnOf(perSecond, (requestsPerSecond) => ({
    requests: requestsPerSecond,
    requestsPerSecond,
    p50Ms: 1000 / requestsPerSecond,
    p99Ms: 2000 / requestsPerSecond,
  }));
const transfers = (speeds: Readonly<Record<string, number>>): Turns<number> =>
  turnOf(speeds, (speed) => speed);

function turnOf<T>(numbers: Readonly<Record<string, number>>, valueOf: (value: number) => T): Turns<T> {
  const ways = Object.entries(numbers).map(
    ([way, number]) => [way, { value: valueOf(number), cpuSeconds: 1 }] as const,
  );
  return new Turns([new Map(ways)]);
}

test("compares with one hop, with TCP and with the replica that holds the agent, and leaves out what could not be measured", () => {
  const some = requests({ "one hop": 1000, Bowline: 800 });
  const bulk = transfers({ "one hop": 400, Bowline: 200 });
  const { ratios, figures, table } = summarize({
    nginx: {
      ways: ["one hop", "Bowline"],
      one: requests({ "one hop": 100, Bowline: 50 }),
      some,
      many: some,
      down: bulk,
      tenDown: bulk,
      up: bulk,
      tenUp: bulk,
    },
    links: [
      { roundTripMs: 50, some, down: transfers({ TCP: 100, Bowline: 90 }), up: transfers({ TCP: 100 }) },
    ],
    stalled: { healthyBesideStalled: 0.95, heldBytes: 262_144 },
    replicas: {
      one: requests({ held: 100, relayed: 80 }),
      some: requests({ held: 1000, relayed: 500 }),
      down: transfers({ held: 200, relayed: 150 }),
      up: transfers({ held: 200, relayed: 120 }),
    },
    apiServer: undefined,
  });
  expect(ratios).toMatchObject({
    rpsVsOneHop: 0.8,
    p50VsOneHop: 2,
    bulkVsOneHop: 0.5,
    bulk50msVsTcp: 0.9,
    healthyBesideStalled: 0.95,
    cpuPerRequestVsOneHop: 1.25,
    relayedRpsVsHeld: 0.5,
    relayedP50VsHeld: 1.25,
    relayedBulkVsHeld: 0.75,
    relayedUploadVsHeld: 0.6,
    relayedCpuPerRequestVsHeld: 2,
  });
  expect(Object.keys(ratios)).not.toContain("rpsVsKubectlProxy");
  expect(Object.keys(ratios)).not.toContain("upload50msVsTcp");
  expect(figures).toMatchObject({ downloadCpuMs: 1000, stalledHeldBytes: 262_144 });
  expect(table.rows.map(([title]) => title)).toEqual([
    "one hop",
    "Bowline",
    "TCP, 50 ms",
    "Bowline, 50 ms",
    "replicas: held, 1 server",
    "replicas: relayed, 2 servers",
  ]);
});
