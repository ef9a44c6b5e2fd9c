import { describe, expect, test } from "vitest";

import { Shutdown } from "./shutdown.ts";
import { ManualClock } from "./testing/manual-clock.ts";

const forever = new Promise<never>(() => {});

function setup(): { clock: ManualClock; shutdown: Shutdown; order: string[] } {
  const clock = new ManualClock();
  return { clock, order: [], shutdown: new Shutdown({ clock, stepLimitMs: 100, totalLimitMs: 250 }) };
}

describe("Shutdown", () => {
  test("runs steps one after another, the last added first, once", async () => {
    const { clock, shutdown, order } = setup();
    for (const name of ["store", "broker", "http"]) {
      shutdown.add(name, async () => {
        order.push(`${name} begins`);
        await clock.sleep(10);
        order.push(`${name} ends`);
      });
    }
    const runs = Promise.all([shutdown.run("test"), shutdown.run("again"), shutdown.finished()]);
    await clock.advance(30);
    await runs;
    expect(order).toEqual([
      "http begins",
      "http ends",
      "broker begins",
      "broker ends",
      "store begins",
      "store ends",
    ]);
    await shutdown.run("once more");
    expect(order).toHaveLength(6);
    expect(clock.pending).toBe(0);
  });

  test("its signal aborts before the first step", async () => {
    const { shutdown, order } = setup();
    shutdown.add("http", () => void order.push(`aborted: ${shutdown.signal.aborted}`));
    expect(shutdown.signal.aborted).toBe(false);
    await shutdown.run("received SIGTERM");
    expect(order).toEqual(["aborted: true"]);
    expect(shutdown.signal.reason).toMatchObject({
      code: "Cancelled",
      message: "Shutting down: received SIGTERM",
    });
  });

  test("goes on after a step that hangs, tells the step, and names it at the end", async () => {
    const { clock, shutdown, order } = setup();
    let reason: unknown;
    shutdown.add("store", () => void order.push("store"));
    shutdown.add("http", (signal) => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
      });
      return forever;
    });
    const thrown = shutdown.run("test").catch((error: unknown) => error);
    await clock.advance(100);
    expect(await thrown).toMatchObject({
      code: "ShutdownTimeout",
      message: 'Shutdown was not clean: "http" did not end in time.',
      details: { hung: ["http"], skipped: [], failed: [] },
    });
    expect(reason).toMatchObject({ code: "ShutdownTimeout" });
    expect(order).toEqual(["store"]);
    expect(clock.pending).toBe(0);
  });

  test("ends at the total limit and names the steps it did not reach", async () => {
    const { clock, shutdown, order } = setup();
    shutdown.add("store", () => void order.push("store"));
    for (const name of ["a", "b", "c"]) shutdown.add(name, () => forever);
    const thrown = shutdown.run("test").catch((error: unknown) => error);
    await clock.advance(250);
    expect(await thrown).toMatchObject({ details: { hung: ["c", "b", "a"], skipped: ["store"] } });
    expect(order).toEqual([]);
    expect(clock.monotonicMs()).toBe(250);
  });

  test("a step may have a limit of its own", async () => {
    const { clock, shutdown } = setup();
    shutdown.add("drain", () => clock.sleep(200), { limitMs: 200 + 1 });
    const running = shutdown.run("test");
    await clock.advance(200);
    await expect(running).resolves.toBeUndefined();
  });

  test("goes on after steps that fail and reports their errors", async () => {
    const { shutdown, order } = setup();
    const error = new Error("broken pipe");
    shutdown.add("store", () => void order.push("store"));
    shutdown.add("broker", () => Promise.reject(error));
    await expect(shutdown.run("test")).rejects.toMatchObject({
      code: "Internal",
      message: 'Shutdown was not clean: "broker" failed.',
      cause: error,
    });
    expect(order).toEqual(["store"]);
  });

  test("gathers several errors", async () => {
    const { shutdown } = setup();
    for (const name of ["a", "b"]) {
      shutdown.add(name, () => {
        throw new Error(name);
      });
    }
    await expect(shutdown.run("test")).rejects.toMatchObject({
      cause: { errors: [new Error("b"), new Error("a")] },
    });
  });

  test("a removed step does not run; one added while it runs comes next; none can be added afterwards", async () => {
    const { shutdown, order } = setup();
    const remove = shutdown.add("removed", () => void order.push("removed"));
    shutdown.add("first", () => void order.push("first"));
    shutdown.add("last", () => {
      order.push("last");
      shutdown.add("late", () => void order.push("late"));
    });
    remove();
    await shutdown.run("test");
    expect(order).toEqual(["last", "late", "first"]);
    expect(() => shutdown.add("too late", () => {})).toThrow(expect.objectContaining({ code: "Cancelled" }));
  });
});
