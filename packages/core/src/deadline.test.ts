import { getEventListeners } from "node:events";

import { describe, expect, test } from "vitest";

import { BowlineError } from "./bowline-error.ts";
import { LinkedAbortController, withDeadline, type DeadlineOptions } from "./deadline.ts";
import { ManualClock } from "./testing/manual-clock.ts";

const forever = new Promise<never>(() => {});

function setup(): { clock: ManualClock; options: DeadlineOptions; controller: AbortController } {
  const clock = new ManualClock();
  const controller = new AbortController();
  const onTimeout = (): Error => new BowlineError("Timeout", "Too slow");
  return { clock, controller, options: { clock, limitMs: 100, signal: controller.signal, onTimeout } };
}

function expectNothingLeft({ clock, controller }: ReturnType<typeof setup>): void {
  expect(clock.pending).toBe(0);
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
}

describe("withDeadline", () => {
  test("gives the result, leaves the work's signal alone and nothing behind", async () => {
    const context = setup();
    let workSignal: AbortSignal | undefined;
    const work = async (signal: AbortSignal): Promise<number> => {
      workSignal = signal;
      await context.clock.sleep(50);
      return 42;
    };
    const result = withDeadline(work, context.options);
    await context.clock.advance(50);
    expect(await result).toBe(42);
    expect(workSignal?.aborted).toBe(false);
    expectNothingLeft(context);
  });

  test("gives the work's own error", async () => {
    const context = setup();
    await expect(withDeadline(() => Promise.reject(new Error("broken")), context.options)).rejects.toThrow(
      "broken",
    );
    const throwing = (): number => {
      throw new Error("broken at once");
    };
    await expect(withDeadline(throwing, context.options)).rejects.toThrow("broken at once");
    expectNothingLeft(context);
  });

  test("rejects at the limit and tells the work why, even when the work does not listen", async () => {
    const context = setup();
    let workSignal: AbortSignal | undefined;
    const result = withDeadline((signal) => {
      workSignal = signal;
      return forever;
    }, context.options);
    const thrown = result.catch((error: unknown) => error);
    await context.clock.advance(99);
    expect(workSignal?.aborted).toBe(false);
    await context.clock.advance(1);
    expect(await thrown).toMatchObject({ code: "Timeout" });
    expect(workSignal?.reason).toBe(await thrown);
    expectNothingLeft(context);
  });

  test("rejects with the signal's reason before the limit", async () => {
    const context = setup();
    const result = withDeadline(() => forever, context.options);
    const reason = new Error("enough");
    context.controller.abort(reason);
    await expect(result).rejects.toBe(reason);
    expectNothingLeft(context);
  });

  test("does not start the work when the signal was aborted before", async () => {
    const context = setup();
    context.controller.abort(new Error("too late"));
    let started = false;
    const result = withDeadline(() => {
      started = true;
    }, context.options);
    await expect(result).rejects.toThrow("too late");
    expect(started).toBe(false);
    expectNothingLeft(context);
  });
});

describe("LinkedAbortController", () => {
  test("aborts with the parent and its reason", () => {
    const parent = new AbortController();
    using child = new LinkedAbortController(parent.signal);
    expect(child.signal.aborted).toBe(false);
    parent.abort("enough");
    expect(child.signal.reason).toBe("enough");
  });

  test("is aborted from the start when the parent was", () => {
    using child = new LinkedAbortController(AbortSignal.abort("too late"));
    expect(child.signal.reason).toBe("too late");
  });

  test("aborts alone without the parent", () => {
    const parent = new AbortController();
    using child = new LinkedAbortController(parent.signal);
    child.abort();
    expect(parent.signal.aborted).toBe(false);
  });

  test("needs no parent", () => {
    using child = new LinkedAbortController();
    child.abort("enough");
    expect(child.signal.reason).toBe("enough");
  });

  test("lets go of the parent when disposed", () => {
    const parent = new AbortController();
    for (let round = 0; round < 3; round += 1) {
      using child = new LinkedAbortController(parent.signal);
      expect(getEventListeners(parent.signal, "abort")).toHaveLength(1);
      expect(child.signal.aborted).toBe(false);
    }
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
  });
});
