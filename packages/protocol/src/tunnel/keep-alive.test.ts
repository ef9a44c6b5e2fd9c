import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { KeepAlive } from "./keep-alive.ts";

function setUp(): { clock: ManualClock; keepAlive: KeepAlive; pings: number[]; silences: number[] } {
  const clock = new ManualClock();
  const pings: number[] = [];
  const silences: number[] = [];
  const keepAlive = new KeepAlive({
    clock,
    intervalMs: 10,
    timeoutMs: 30,
    ping: (value) => pings.push(value),
    silent: () => silences.push(clock.monotonicMs()),
  });
  keepAlive.start();
  return { clock, keepAlive, pings, silences };
}

describe("KeepAlive", () => {
  test("takes the shortest of the last round trips", async () => {
    const { clock, keepAlive, pings } = setUp();
    for (const ms of [7, 3, 9]) {
      await clock.advance(ms);
      keepAlive.heard();
      keepAlive.pong(pings.at(-1) ?? 0);
      await clock.advance(10 - ms);
    }
    expect(keepAlive.roundTripMs).toBe(3);
    for (let beat = 0; beat < 8; beat++) {
      await clock.advance(5);
      keepAlive.heard();
      keepAlive.pong(pings.at(-1) ?? 0);
      await clock.advance(5);
    }
    expect(keepAlive.roundTripMs).toBe(5);
  });

  test("believes only the answer to its own question, and that once", async () => {
    const { clock, keepAlive, pings } = setUp();
    keepAlive.pong((pings[0] ?? 0) + 1);
    expect(keepAlive.roundTripMs).toBeUndefined();
    await clock.advance(4);
    keepAlive.pong(pings[0] ?? 0);
    await clock.advance(1);
    keepAlive.pong(pings[0] ?? 0);
    expect(keepAlive.roundTripMs).toBe(4);
  });

  test("asks again only after it was answered, and notices silence once", async () => {
    const { clock, pings, silences } = setUp();
    await clock.advance(100);
    expect(pings).toHaveLength(1);
    expect(silences).toEqual([30]);
    expect(clock.pending).toBe(0);
  });

  test("stops", async () => {
    const { clock, keepAlive, silences } = setUp();
    keepAlive.stop();
    await clock.advance(100);
    expect(silences).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
