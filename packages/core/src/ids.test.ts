import { randomBytes } from "node:crypto";

import { describe, expect, test } from "vitest";

import { createUuidV7Generator } from "./ids.ts";
import { ManualClock } from "./testing/manual-clock.ts";

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

function timeMsOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function expectStrictlyRising(ids: readonly string[]): void {
  const firstFall = ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] ?? ""));
  expect(firstFall).toBe(-1);
}

describe("createUuidV7Generator", () => {
  test("makes ids of the right form that carry their time", async () => {
    const clock = new ManualClock(Date.UTC(2026, 10, 15, 3, 20));
    const nextId = createUuidV7Generator(clock, randomBytes);
    for (let round = 0; round < 1000; round += 1) {
      const id = nextId();
      expect(id).toMatch(uuidV7);
      expect(timeMsOf(id)).toBe(clock.now());
      await clock.settle();
      clock.setNow(clock.now() + round);
    }
  });

  test("places time, counter and chance where RFC 9562 wants them", () => {
    // The example of RFC 9562, appendix A.6: the bits of rand_a are all counter here, those of rand_b counter and chance.
    const clock = new ManualClock(0x017f22e279b0);
    const counter = 0xcc3 * 2 ** 30 + 0x18c4dc0c;
    const bytes = Buffer.alloc(10);
    bytes.writeUInt32BE(0x0c07398f, 0);
    bytes.writeUIntBE(counter % 2 ** 41, 4, 6);
    const id = createUuidV7Generator(clock, () => bytes)();
    // The top bit of the counter is kept free, hence 4c3 where the example has cc3.
    expect(id).toBe("017f22e2-79b0-74c3-98c4-dc0c0c07398f");
  });

  test("100,000 ids of one millisecond rise strictly", () => {
    const clock = new ManualClock();
    const nextId = createUuidV7Generator(clock, randomBytes);
    const ids = Array.from({ length: 100_000 }, nextId);
    expectStrictlyRising(ids);
    expect(timeMsOf(ids.at(-1) ?? "")).toBe(clock.now());
  });

  test("ids rise strictly while the clock goes back, and follow it again once it has caught up", () => {
    const clock = new ManualClock(1_000_000);
    const nextId = createUuidV7Generator(clock, randomBytes);
    const ids = [nextId()];
    clock.setNow(400_000);
    ids.push(nextId(), nextId());
    clock.setNow(1_000_001);
    ids.push(nextId());
    expectStrictlyRising(ids);
    expect(ids.map(timeMsOf)).toEqual([1_000_000, 1_000_000, 1_000_000, 1_000_001]);
  });

  test("two generators in the same millisecond do not meet", () => {
    const clock = new ManualClock();
    const generators = [createUuidV7Generator(clock, randomBytes), createUuidV7Generator(clock, randomBytes)];
    const ids = generators.flatMap((nextId) => Array.from({ length: 10_000 }, nextId));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
