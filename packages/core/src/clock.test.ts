import { getEventListeners } from "node:events";

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { systemClock } from "./clock.ts";

describe("systemClock", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("sleep resolves and leaves no listener on the signal", async () => {
    const { signal } = new AbortController();
    const slept = systemClock.sleep(1000, signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1000);
    await slept;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  test("sleep rejects with the signal's reason and leaves no timer", async () => {
    const controller = new AbortController();
    const slept = systemClock.sleep(1000, controller.signal);
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(slept).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  test("sleep arms nothing when the signal was aborted before", async () => {
    const reason = new Error("too late");
    await expect(systemClock.sleep(1000, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("after calls back once, unless cancelled", async () => {
    const called = vi.fn<() => void>();
    const cancelled = vi.fn<() => void>();
    systemClock.after(10, called);
    systemClock.after(10, cancelled)();
    await vi.advanceTimersByTimeAsync(100);
    expect(called).toHaveBeenCalledTimes(1);
    expect(cancelled).not.toHaveBeenCalled();
  });

  test("waits longer than one timer of the platform can", async () => {
    const called = vi.fn<() => void>();
    const thirtyDaysMs = 30 * 24 * 3600 * 1000;
    systemClock.after(thirtyDaysMs, called);
    await vi.advanceTimersByTimeAsync(thirtyDaysMs - 1);
    expect(called).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(called).toHaveBeenCalledTimes(1);
  });

  test("a wait without end can be cancelled", async () => {
    const called = vi.fn<() => void>();
    const cancel = systemClock.after(Infinity, called);
    await vi.advanceTimersByTimeAsync(2 ** 33);
    cancel();
    expect(called).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("systemClock and the life of the process", () => {
  /** Only timers that keep the process alive are listed. */
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

  test("sleep keeps it alive, after does not", async () => {
    const before = timers();
    const cancel = systemClock.after(60_000, () => {});
    expect(timers()).toBe(before);
    const controller = new AbortController();
    const slept = systemClock.sleep(60_000, controller.signal);
    expect(timers()).toBe(before + 1);
    controller.abort();
    cancel();
    await expect(slept).rejects.toMatchObject({ name: "AbortError" });
    expect(timers()).toBe(before);
  });

  test("tells the time", () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
    expect(systemClock.monotonicMs()).toBeLessThanOrEqual(systemClock.monotonicMs());
  });
});
