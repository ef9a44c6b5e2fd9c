import { getEventListeners } from "node:events";

import { describe, expect, test } from "vitest";

import { ManualClock } from "./manual-clock.ts";

describe("ManualClock", () => {
  test("runs timers in order of time, then of arming", async () => {
    const clock = new ManualClock();
    const order: string[] = [];
    clock.after(20, () => order.push("late"));
    clock.after(10, () => order.push("early, armed first"));
    clock.after(10, () => order.push("early, armed second"));
    await clock.advance(19);
    expect(order).toEqual(["early, armed first", "early, armed second"]);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(order.at(-1)).toBe("late");
    expect(clock.pending).toBe(0);
  });

  test("a timer sees the time it was due, and may arm another one in the window", async () => {
    const clock = new ManualClock(5000);
    const seen: number[] = [];
    const loop = async (): Promise<void> => {
      for (let round = 0; round < 3; round += 1) {
        await clock.sleep(10);
        seen.push(clock.now());
      }
    };
    const done = loop();
    await clock.advance(30);
    await done;
    expect(seen).toEqual([5010, 5020, 5030]);
    expect(clock.monotonicMs()).toBe(30);
  });

  test("an aborted sleep rejects with the reason and leaves neither timer nor listener", async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const slept = clock.sleep(10, controller.signal);
    controller.abort(new Error("enough"));
    await expect(slept).rejects.toThrow("enough");
    expect(clock.pending).toBe(0);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  test("cancels a timer", async () => {
    const clock = new ManualClock();
    let called = false;
    const cancel = clock.after(10, () => {
      called = true;
    });
    cancel();
    await clock.advance(10);
    expect(called).toBe(false);
  });

  test("waits until a timer of a length is armed, by whatever comes from outside", async () => {
    const clock = new ManualClock();
    await clock.advance(7);
    clock.after(5, () => {});
    let isArmed = false;
    const armed = clock.armed(10).then(() => (isArmed = true));
    clock.after(15, () => {});
    await clock.settle();
    expect(isArmed).toBe(false);
    setTimeout(() => clock.after(10, () => {}), 1);
    await armed;
    // Timers that are armed already count as well.
    clock.after(5, () => {});
    await clock.armed(5, 2);
  });

  test("the wall clock can jump without time passing", async () => {
    const clock = new ManualClock(1_000_000);
    await clock.advance(500);
    clock.setNow(10);
    expect(clock.now()).toBe(10);
    expect(clock.monotonicMs()).toBe(500);
  });
});
