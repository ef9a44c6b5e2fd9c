import { describe, expect, test } from "vitest";

import { initialWindowBytes } from "./frame.ts";
import { ReceiveWindow } from "./receive-window.ts";
import { WindowBudget } from "./tunnel-memory.ts";

const mib = 1024 * 1024;

function setUp(
  budgetBytes = 100 * mib,
  maxWindowBytes = 16 * mib,
): {
  window: ReceiveWindow;
  budget: WindowBudget;
  time: { nowMs: number; roundTripMs: number | undefined };
} {
  const time: { nowMs: number; roundTripMs: number | undefined } = { nowMs: 0, roundTripMs: 50 };
  const budget = new WindowBudget(budgetBytes);
  const window = new ReceiveWindow({
    budget,
    maxWindowBytes,
    roundTripMs: () => time.roundTripMs,
    nowMs: () => time.nowMs,
  });
  return { window, budget, time };
}

/** Receives and reads half a window, after which a grant is due. */
function half(window: ReceiveWindow): number {
  const bytes = window.size / 2;
  expect(window.arrived(bytes)).toBe(true);
  return window.taken(bytes);
}

describe("ReceiveWindow", () => {
  test("grants nothing before half of it was read, then what was read", () => {
    const { window, time } = setUp();
    time.nowMs = 1000;
    window.arrived(initialWindowBytes);
    expect(window.taken(initialWindowBytes / 2 - 1)).toBe(0);
    expect(window.taken(1)).toBe(initialWindowBytes / 2);
    expect(window.size).toBe(initialWindowBytes);
  });

  test("refuses a byte more than was granted", () => {
    const { window } = setUp();
    expect(window.arrived(initialWindowBytes)).toBe(true);
    expect(window.arrived(1)).toBe(false);
  });

  test("grows fourfold while half of it is read within two round trips, up to its limit", () => {
    const { window, time } = setUp();
    const sizes: number[] = [];
    for (let index = 0; index < 5; index++) {
      time.nowMs += 50;
      half(window);
      sizes.push(window.size / mib);
    }
    expect(sizes).toEqual([1, 4, 16, 16, 16]);
  });

  test("does not shrink where its limit is less than it begins with", () => {
    const { window, budget } = setUp(1000, 1024);
    expect(half(window)).toBe(initialWindowBytes / 2);
    expect(window.size).toBe(initialWindowBytes);
    expect(budget.borrow(2000)).toBe(500);
  });

  test("stays when the reader is slow, or the round trip is not known", () => {
    const { window, time } = setUp();
    time.nowMs += 101;
    half(window);
    time.roundTripMs = undefined;
    half(window);
    expect(window.size).toBe(initialWindowBytes);
  });

  test("takes at most half of what is left in the budget, and gives it back once", () => {
    const { window, budget } = setUp(1000);
    half(window);
    expect(window.size).toBe(initialWindowBytes + 500);
    expect(budget.borrow(1000)).toBe(250);
    budget.giveBack(250);
    window.close();
    window.close();
    expect(budget.borrow(2000)).toBe(500);
  });

  test("borrows nothing after its end, when what waited is read", () => {
    const { window, budget } = setUp(1000);
    window.arrived(initialWindowBytes);
    window.close();
    expect(window.taken(initialWindowBytes)).toBe(0);
    expect(budget.borrow(2000)).toBe(500);
  });
});
