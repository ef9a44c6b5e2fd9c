import { getEventListeners } from "node:events";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { ChildSpec, ChildTransition } from "./supervision.ts";
import { RestartIntensity, Supervisor, type SupervisorOptions } from "./supervisor.ts";
import { ManualClock } from "./testing/manual-clock.ts";

const forever = new Promise<never>(() => {});
const backoff = { baseMs: 100, maxMs: 1000, factor: 2, jitter: 0, resetAfterMs: 60_000 };

let clock: ManualClock;
let transitions: ChildTransition[];

beforeEach(() => {
  clock = new ManualClock();
  transitions = [];
});
afterEach(() => expectNoTimerLeft());

function expectNoTimerLeft(): void {
  expect(clock.pending).toBe(0);
}

function supervisor(options: Partial<SupervisorOptions> = {}): Supervisor {
  return new Supervisor({
    name: "root",
    clock,
    random: () => 0,
    backoff,
    stopLimitMs: 50,
    intensity: { maxRestarts: 3, withinMs: 10_000 },
    onTransition: (transition) => transitions.push(transition),
    ...options,
  });
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function steady(name: string, rest: Partial<ChildSpec> = {}): ChildSpec {
  return { name, run: untilAborted, ...rest };
}

/** Fails so many times, then runs. */
function shaky(name: string, failures: number, rest: Partial<ChildSpec> = {}): ChildSpec {
  let left = failures;
  const run = (signal: AbortSignal): Promise<void> => {
    left -= 1;
    return left >= 0 ? Promise.reject(new Error(`${name} broke`)) : untilAborted(signal);
  };
  return { name, run, ...rest };
}

/** The rejection of a run, or undefined when it ended well. */
function outcomeOf(run: Promise<void>): Promise<unknown> {
  return run.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function statesOf(root: Supervisor): Record<string, string> {
  return Object.fromEntries(root.snapshot().children.map((child) => [child.name, child.state]));
}

function pathOf(child: string): string[] {
  return transitions.filter((transition) => transition.child === child).map((transition) => transition.to);
}

describe("restarting", () => {
  test("a child that fails is restarted alone, after a growing delay", async () => {
    const root = supervisor();
    root.add(steady("calm"));
    root.add(shaky("shaky", 2));
    const run = root.run();
    await clock.advance(99);
    expect(statesOf(root)).toEqual({ calm: "running", shaky: "backing-off" });
    await clock.advance(1 + 199);
    expect(statesOf(root)).toEqual({ calm: "running", shaky: "backing-off" });
    await clock.advance(1);
    expect(statesOf(root)).toEqual({ calm: "running", shaky: "running" });
    expect(root.snapshot().children[1]).toEqual({
      name: "shaky",
      state: "running",
      sinceMs: clock.now(),
      restarts: 2,
      lastError: { code: "Internal", message: "shaky broke" },
    });
    expect(pathOf("calm")).toEqual(["running"]);
    await root.stop();
    await run;
  });

  test("permanent comes back also after it finished", async () => {
    const root = supervisor();
    let runs = 0;
    root.add({
      name: "finishes",
      run: async () => {
        runs += 1;
      },
    });
    const run = root.run();
    await clock.advance(100);
    expect(runs).toBe(2);
    expect(root.snapshot().children[0]?.lastError?.message).toContain("has to run always");
    await root.stop();
    await run;
  });

  test("transient comes back after a failure only; temporary never", async () => {
    const root = supervisor();
    root.add({ name: "transient, finishes", restart: "transient", run: async () => {} });
    root.add(shaky("transient, fails", 1, { restart: "transient" }));
    root.add({ name: "temporary, finishes", restart: "temporary", run: async () => {} });
    root.add(shaky("temporary, fails", 1, { restart: "temporary" }));
    const run = root.run();
    await clock.advance(1000);
    expect(statesOf(root)).toEqual({
      "transient, finishes": "stopped",
      "transient, fails": "running",
      "temporary, finishes": "stopped",
      "temporary, fails": "failed",
    });
    await root.stop();
    await run;
  });

  test("a throw before the first await is a failure like any other", async () => {
    const root = supervisor();
    root.add({
      name: "throws",
      run: () => {
        throw new TypeError("at once");
      },
    });
    const run = root.run();
    await clock.settle();
    expect(statesOf(root)).toEqual({ throws: "backing-off" });
    await root.stop();
    await run;
  });

  test("a child that reports when it is ready counts as starting until then", async () => {
    const root = supervisor();
    let markReady = (): void => {};
    root.add({
      name: "slow",
      reportsReady: true,
      run: (signal, ready) => {
        markReady = ready;
        return untilAborted(signal);
      },
    });
    const run = root.run();
    expect(statesOf(root)).toEqual({ slow: "starting" });
    markReady();
    expect(statesOf(root)).toEqual({ slow: "running" });
    await root.stop();
    markReady();
    expect(statesOf(root)).toEqual({ slow: "stopped" });
    await run;
  });
});

describe("giving up", () => {
  test("too many restarts stop the others, the last first, and fail the supervisor", async () => {
    const root = supervisor();
    for (const name of ["a", "b"]) root.add(steady(name));
    root.add(shaky("shaky", Infinity));
    root.add(steady("c"));
    const outcome = outcomeOf(root.run());
    await clock.advance(100 + 200 + 400);
    expect(await outcome).toMatchObject({
      code: "SupervisorGaveUp",
      message: expect.stringContaining("shaky broke"),
      details: { supervisor: "root", child: "shaky", leftBehind: [] },
    });
    expect(statesOf(root)).toEqual({ a: "stopped", b: "stopped", shaky: "failed", c: "stopped" });
    expect(root.snapshot().state).toBe("failed");
    const stopped = transitions.filter((each) => each.to === "stopped").map((each) => each.child);
    expect(stopped).toEqual(["c", "b", "a"]);
    expect(pathOf("shaky").filter((state) => state === "backing-off")).toHaveLength(3);
  });

  test("restarts that are far enough apart are tolerated for ever", async () => {
    const root = supervisor({ backoff: { ...backoff, baseMs: 5000, maxMs: 5000 } });
    root.add(shaky("shaky", 20));
    const run = root.run();
    await clock.advance(20 * 5000);
    expect(root.snapshot().children[0]).toMatchObject({ state: "running", restarts: 20 });
    await root.stop();
    await run;
  });

  test("a parent restarts a supervisor that gave up, with all its children", async () => {
    const inner = supervisor({ name: "inner", intensity: { maxRestarts: 1, withinMs: 10_000 } });
    inner.add(steady("calm"));
    inner.add(shaky("shaky", 2));
    const root = supervisor();
    root.add(inner.asChild());
    const run = root.run();
    await clock.advance(100);
    expect(root.snapshot().children[0]).toMatchObject({
      name: "inner",
      state: "backing-off",
      lastError: { code: "SupervisorGaveUp" },
      children: [{ state: "stopped" }, { state: "failed" }],
    });
    await clock.advance(100);
    expect(root.snapshot().children[0]).toMatchObject({
      state: "running",
      restarts: 1,
      children: [{ state: "running", restarts: 0 }, { state: "running" }],
    });
    await root.stop();
    await run;
    expect(inner.snapshot().state).toBe("stopped");
  });

  test("failures escalate to the top", async () => {
    const inner = supervisor({ name: "inner", intensity: { maxRestarts: 0, withinMs: 10_000 } });
    inner.add(shaky("shaky", Infinity));
    const root = supervisor();
    root.add(inner.asChild());
    const outcome = outcomeOf(root.run());
    await clock.advance(100 + 200 + 400);
    expect(await outcome).toMatchObject({
      code: "SupervisorGaveUp",
      cause: { code: "SupervisorGaveUp", cause: { message: "shaky broke" } },
    });
  });
});

describe("stopping", () => {
  test("follows the signal it runs under and leaves no listener there", async () => {
    const controller = new AbortController();
    const root = supervisor();
    root.add(steady("a"));
    const run = root.run(controller.signal);
    controller.abort();
    await run;
    expect(statesOf(root)).toEqual({ a: "stopped" });
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    await root.run(controller.signal);
    expect(pathOf("a")).toEqual(["running", "stopping", "stopped"]);
  });

  test("ends the children one after another, the last first", async () => {
    const order: string[] = [];
    const root = supervisor();
    for (const name of ["a", "b"]) {
      root.add({
        name,
        run: async (signal) => {
          await untilAborted(signal);
          order.push(`${name} told`);
          await clock.sleep(10);
          order.push(`${name} ended`);
        },
      });
    }
    const run = root.run();
    const stopped = root.stop();
    await clock.advance(20);
    await Promise.all([run, stopped]);
    expect(order).toEqual(["b told", "b ended", "a told", "a ended"]);
  });

  test("nothing is restarted any more from the moment it begins", async () => {
    const root = supervisor();
    let runs = 0;
    root.add({
      name: "breaks while others stop",
      run: () => {
        runs += 1;
        return clock.sleep(10);
      },
    });
    root.add({ name: "slow to stop", run: (signal) => untilAborted(signal).then(() => clock.sleep(40)) });
    root.add(shaky("backing off", Infinity));
    const run = root.run();
    await clock.settle();
    const stopped = root.stop();
    await clock.advance(1000);
    await Promise.all([run, stopped]);
    expect(runs).toBe(1);
    expect(Object.values(statesOf(root))).toEqual(["stopped", "stopped", "stopped"]);
  });

  test("a nested supervisor keeps its children going until its turn comes", async () => {
    const inner = supervisor({ name: "inner" });
    inner.add(shaky("needed while others drain", 1));
    const root = supervisor();
    root.add(inner.asChild());
    root.add({
      name: "drains",
      run: (signal) => untilAborted(signal).then(() => clock.sleep(200)),
      stopLimitMs: 300,
    });
    const run = root.run();
    await clock.settle();
    const stopped = root.stop();
    await clock.advance(199);
    expect(statesOf(inner)).toEqual({ "needed while others drain": "running" });
    await clock.advance(1);
    await Promise.all([run, stopped]);
    expect(statesOf(inner)).toEqual({ "needed while others drain": "stopped" });
  });

  test("leaves a child behind that does not end, says so, and refuses to run a second one beside it", async () => {
    const root = supervisor();
    const hang = Promise.withResolvers<void>();
    root.add(steady("calm"));
    root.add({ name: "hangs", run: () => hang.promise });
    const outcome = outcomeOf(root.run());
    const stopped = root.stop();
    await clock.advance(50);
    await stopped;
    expect(await outcome).toMatchObject({ code: "ShutdownTimeout", details: { leftBehind: ["hangs"] } });
    expect(statesOf(root)).toEqual({ calm: "stopped", hangs: "failed" });
    await expect(root.run()).rejects.toMatchObject({ code: "ShutdownTimeout" });

    hang.resolve();
    await clock.settle();
    expect(statesOf(root)).toEqual({ calm: "stopped", hangs: "stopped" });
    const second = root.run();
    expect(statesOf(root)).toEqual({ calm: "running", hangs: "running" });
    await root.stop();
    await second;
  });

  test("what a nested supervisor left behind is reported up to the top", async () => {
    const inner = supervisor({ name: "inner" });
    inner.add({ name: "hangs", run: () => forever });
    const root = supervisor();
    root.add(inner.asChild());
    const outcome = outcomeOf(root.run());
    const stopped = root.stop();
    await clock.advance(50);
    await stopped;
    expect(await outcome).toMatchObject({ code: "ShutdownTimeout", details: { leftBehind: ["inner"] } });
    expect(root.snapshot().children[0]).toMatchObject({ state: "failed", children: [{ state: "failed" }] });
  });

  test("is nothing to do for one that does not run; running twice at a time is refused", async () => {
    const root = supervisor();
    await root.stop();
    const run = root.run();
    await expect(root.run()).rejects.toMatchObject({ code: "InvalidArgument" });
    await root.stop();
    await run;
  });

  test("a child may stop its own supervisor while it is being started", async () => {
    const root = supervisor();
    root.add({
      name: "stops all",
      run: async (signal) => {
        void root.stop();
        await untilAborted(signal);
      },
    });
    root.add(steady("never starts"));
    await root.run();
    expect(pathOf("never starts")).toEqual([]);
  });
});

describe("changing children at run time", () => {
  test("an added child starts at once; a removed one stops and is forgotten", async () => {
    const root = supervisor();
    const run = root.run();
    root.add(steady("a"));
    expect(statesOf(root)).toEqual({ a: "running" });
    expect(() => root.add(steady("a"))).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
    await root.remove("a");
    await root.remove("a");
    expect(statesOf(root)).toEqual({});
    root.add(steady("a"));
    expect(statesOf(root)).toEqual({ a: "running" });
    await root.stop();
    await run;
  });

  test("a child that does not end keeps its name", async () => {
    const root = supervisor();
    const run = outcomeOf(root.run());
    const hang = Promise.withResolvers<void>();
    root.add({ name: "hangs", run: () => hang.promise });
    const removal = outcomeOf(root.remove("hangs"));
    await clock.advance(50);
    expect(await removal).toMatchObject({ code: "ShutdownTimeout" });
    expect(() => root.add(steady("hangs"))).toThrow("already");
    hang.resolve();
    await clock.settle();
    await root.remove("hangs");
    root.add(steady("hangs"));
    await root.stop();
    expect(await run).toBeUndefined();
  });

  test("none can be added while it stops", async () => {
    const root = supervisor();
    const run = root.run();
    const stopped = root.stop();
    expect(() => root.add(steady("late"))).toThrow(expect.objectContaining({ code: "Cancelled" }));
    await Promise.all([run, stopped]);
  });
});

describe("RestartIntensity", () => {
  test("admits so many within any window, and more once the oldest has left it", () => {
    const intensity = new RestartIntensity({ maxRestarts: 2, withinMs: 100 });
    expect([0, 50, 99].map((nowMs) => intensity.admit(nowMs))).toEqual([true, true, false]);
    expect([100, 149, 150].map((nowMs) => intensity.admit(nowMs))).toEqual([true, false, true]);
  });

  test("tolerates none when none are allowed", () => {
    expect(new RestartIntensity({ maxRestarts: 0, withinMs: 100 }).admit(0)).toBe(false);
  });
});
