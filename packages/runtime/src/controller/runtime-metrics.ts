import type { Counter, Gauge, Histogram, Metrics } from "@bowline/core";

import type { QueueObserver, QueueState } from "../queue/queue-observer.ts";
import type { ReconcileEvent } from "./controller-options.ts";
import type { ControllerState } from "./controller-state.ts";
import type { Outcome } from "./outcome.ts";

/** A controller that the gauges read whenever they are asked. */
interface TrackedController {
  readonly name: string;
  state(): ControllerState;
}

/** From a microsecond, since keys are often taken at once, to what is certainly too long. */
const queueBuckets = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 60, 300];
const reconcileBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

const resultLabels: Readonly<Record<Outcome["kind"], string>> = {
  done: "success",
  "requeue-after": "requeue_after",
  waiting: "requeue_after",
  failed: "error",
  terminal: "error",
  unleased: "requeue",
  interrupted: "requeue",
};

/**
 * The metrics of all controllers of a process, under the names that controller-runtime and client-go gave them, so that
 * their dashboards and alerts work. One per registry.
 */
export class RuntimeMetrics {
  readonly #tracked = new Map<string, TrackedController>();
  readonly #adds: Counter<"name">;
  readonly #retries: Counter<"name">;
  readonly #queueSeconds: Histogram<"name">;
  readonly #workSeconds: Histogram<"name">;
  readonly #reconciles: Counter<"controller" | "result">;
  readonly #errors: Counter<"controller">;
  readonly #deadLetters: Counter<"controller">;
  readonly #reconcileSeconds: Histogram<"controller">;
  readonly #leading: Gauge<"name">;

  constructor(metrics: Metrics) {
    const name = ["name"] as const;
    const controller = ["controller"] as const;
    this.#adds = metrics.counter({
      name: "workqueue_adds_total",
      help: "Keys added to the queue that were not in it.",
      labelNames: name,
    });
    this.#retries = metrics.counter({
      name: "workqueue_retries_total",
      help: "Keys that were given a later turn.",
      labelNames: name,
    });
    this.#queueSeconds = metrics.histogram({
      name: "workqueue_queue_duration_seconds",
      help: "How long a key stood in line.",
      labelNames: name,
      buckets: queueBuckets,
    });
    this.#workSeconds = metrics.histogram({
      name: "workqueue_work_duration_seconds",
      help: "How long a key was kept by a worker.",
      labelNames: name,
      buckets: queueBuckets,
    });
    this.#reconciles = metrics.counter({
      name: "controller_runtime_reconcile_total",
      help: "Attempts that ended, by result: success, requeue_after, requeue (not done here), error.",
      labelNames: ["controller", "result"],
    });
    this.#errors = metrics.counter({
      name: "controller_runtime_reconcile_errors_total",
      help: "Attempts that failed.",
      labelNames: controller,
    });
    this.#deadLetters = metrics.counter({
      name: "bowline_reconcile_dead_letters_total",
      help: "Keys that were given up until somebody changes something.",
      labelNames: controller,
    });
    this.#reconcileSeconds = metrics.histogram({
      name: "controller_runtime_reconcile_time_seconds",
      help: "How long an attempt took.",
      labelNames: controller,
      buckets: reconcileBuckets,
    });
    this.#leading = metrics.gauge({
      name: "leader_election_master_status",
      help: "1 while this process leads, 0 while it does not.",
      labelNames: name,
    });
    this.#addQueueGauges(metrics);
    this.#addControllerGauges(metrics);
  }

  /** From now on the gauges show this controller; one of the same name is replaced. */
  track(controller: TrackedController): void {
    this.#tracked.set(controller.name, controller);
  }

  queueObserver(name: string): QueueObserver {
    const labels = { name };
    return {
      added: () => this.#adds.inc(labels),
      retried: () => this.#retries.inc(labels),
      taken: (waitedMs) => this.#queueSeconds.observe(labels, waitedMs / 1000),
      finished: (workedMs) => this.#workSeconds.observe(labels, workedMs / 1000),
    };
  }

  reconciled({ controller, outcome, durationMs }: ReconcileEvent): void {
    this.#reconciles.inc({ controller, result: resultLabels[outcome.kind] });
    if (outcome.kind === "failed" || outcome.kind === "terminal") this.#errors.inc({ controller });
    this.#reconcileSeconds.observe({ controller }, durationMs / 1000);
  }

  deadLettered(controller: string): void {
    this.#deadLetters.inc({ controller });
  }

  leading(name: string, isLeading: boolean): void {
    this.#leading.set({ name }, isLeading ? 1 : 0);
  }

  #addQueueGauges(metrics: Metrics): void {
    const gauges: Readonly<Record<string, readonly [help: string, read: (queue: QueueState) => number]>> = {
      workqueue_depth: ["Keys that stand in line.", (queue) => queue.ready],
      workqueue_unfinished_work_seconds: [
        "How long all keys under work have been worked on so far, together.",
        (queue) => queue.unfinishedWorkMs / 1000,
      ],
      workqueue_longest_running_processor_seconds: [
        "How long the key has been worked on that was taken first.",
        (queue) => queue.longestRunningMs / 1000,
      ],
    };
    for (const [name, [help, read]] of Object.entries(gauges)) {
      metrics.gauge({
        name,
        help,
        labelNames: ["name"],
        collect: (gauge) => this.#each((state) => gauge.set({ name: state.name }, read(state.queue))),
      });
    }
  }

  #addControllerGauges(metrics: Metrics): void {
    const gauges: Readonly<
      Record<string, readonly [help: string, read: (state: ControllerState) => number]>
    > = {
      controller_runtime_active_workers: [
        "Workers that work on a key.",
        (state) => state.active.filter((key) => !key.isStuck).length,
      ],
      controller_runtime_max_concurrent_reconciles: ["Workers there are.", (state) => state.concurrency],
      bowline_reconcile_stuck_keys: [
        "Keys whose attempt did not end when told to.",
        (state) => state.active.filter((key) => key.isStuck).length,
      ],
    };
    for (const [name, [help, read]] of Object.entries(gauges)) {
      metrics.gauge({
        name,
        help,
        labelNames: ["controller"],
        collect: (gauge) => this.#each((state) => gauge.set({ controller: state.name }, read(state))),
      });
    }
  }

  #each(show: (state: ControllerState) => void): void {
    for (const controller of this.#tracked.values()) show(controller.state());
  }
}
