import { Metrics } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, expect, test } from "vitest";

import { TerminalError, WaitingError } from "../reconcile/reconcile-error.ts";
import { requeueAfter } from "../reconcile/reconciler.ts";
import { ScriptedReconciler } from "../testing/scripted-reconciler.ts";
import { Controller } from "./controller.ts";
import { RuntimeMetrics } from "./runtime-metrics.ts";

let clock: ManualClock;
let metrics: Metrics;
let reconciler: ScriptedReconciler;
let controller: Controller;
let stop: AbortController;
let running: Promise<unknown>;

beforeEach(() => {
  clock = new ManualClock();
  metrics = new Metrics({ version: "1", revision: "abc" });
  reconciler = new ScriptedReconciler();
  controller = new Controller({
    name: "test",
    clock,
    random: () => 0,
    reconciler,
    concurrency: 2,
    timeLimitMs: 60_000,
    abortGraceMs: 1000,
    backoff: { baseMs: 1000, maxMs: 1000, factor: 1, jitter: 0 },
    onDeadLetter: () => {},
    metrics: new RuntimeMetrics(metrics),
  });
  stop = new AbortController();
  running = controller.run(stop.signal).catch(() => {});
});
afterEach(async () => {
  stop.abort();
  for (const call of reconciler.open) call.finish();
  await clock.settle();
  await running;
});

async function enqueue(...keys: string[]): Promise<void> {
  for (const key of keys) controller.enqueue(key);
  await clock.settle();
}

/** The value of a series, written as Prometheus does. */
async function value(series: string): Promise<number | undefined> {
  const lines = (await metrics.text()).split("\n");
  const line = lines.find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test("the queue: depth, adds, time in line, time under work", async () => {
  await enqueue("a", "b", "c", "c");
  await clock.advance(3000);
  expect(await value('workqueue_depth{name="test"}')).toBe(1);
  expect(await value('workqueue_adds_total{name="test"}')).toBe(3);
  expect(await value('workqueue_unfinished_work_seconds{name="test"}')).toBe(6);
  expect(await value('workqueue_longest_running_processor_seconds{name="test"}')).toBe(3);
  reconciler.call("a").finish();
  await clock.settle();
  expect(await value('workqueue_depth{name="test"}')).toBe(0);
  expect(await value('workqueue_queue_duration_seconds_sum{name="test"}')).toBe(3);
  expect(await value('workqueue_queue_duration_seconds_count{name="test"}')).toBe(3);
  expect(await value('workqueue_work_duration_seconds_sum{name="test"}')).toBe(3);
  expect(await value('workqueue_work_duration_seconds_count{name="test"}')).toBe(1);
});

test("reconciles by result, errors, time, retries and dead letters", async () => {
  await enqueue("a");
  reconciler.call("a").finish();
  await enqueue("a");
  await clock.advance(2000);
  reconciler.call("a").finish(requeueAfter(100));
  await enqueue("b");
  reconciler.call("b").fail(new WaitingError("Later", "Later.", { requeueAfterMs: 1e6 }));
  await enqueue("c");
  reconciler.call("c").fail(new Error("broken"));
  await enqueue("d");
  reconciler.call("d").fail(new TerminalError("Bad", "Bad."));
  await clock.settle();
  const total = (result: string): Promise<number | undefined> =>
    value(`controller_runtime_reconcile_total{controller="test",result="${result}"}`);
  expect([await total("success"), await total("requeue_after"), await total("error")]).toEqual([1, 2, 2]);
  expect(await value('controller_runtime_reconcile_errors_total{controller="test"}')).toBe(2);
  expect(await value('controller_runtime_reconcile_time_seconds_sum{controller="test"}')).toBe(2);
  expect(await value('controller_runtime_reconcile_time_seconds_count{controller="test"}')).toBe(5);
  expect(await value('workqueue_retries_total{name="test"}')).toBe(3);
  expect(await value('bowline_reconcile_dead_letters_total{controller="test"}')).toBe(1);
});

test("workers: how many there are, how many work, how many keys are stuck", async () => {
  expect(await value('controller_runtime_max_concurrent_reconciles{controller="test"}')).toBe(2);
  expect(await value('controller_runtime_active_workers{controller="test"}')).toBe(0);
  await enqueue("a", "b");
  expect(await value('controller_runtime_active_workers{controller="test"}')).toBe(2);
  reconciler.call("b").finish();
  await clock.advance(61_000);
  expect(await value('controller_runtime_active_workers{controller="test"}')).toBe(0);
  expect(await value('bowline_reconcile_stuck_keys{controller="test"}')).toBe(1);
});
