import { expect, test } from "vitest";

import { job } from "../testing/manifests.ts";
import { SimCluster } from "../testing/sim-cluster.ts";

const failing = { annotations: { "kubesim.bowline.dev/behaviour": "fail" } };
const endless = { annotations: { "kubesim.bowline.dev/behaviour": "run" } };

test("a job runs as many pods as it needs, as many at once as it may", async () => {
  using cluster = new SimCluster({ startDelayMs: 0, jobRunSeconds: 10 });
  const task = cluster.apply(job("task", { completions: 5, parallelism: 2 }));
  await cluster.pass(5_000);
  expect(cluster.job("task").status).toEqual({ startTime: "2026-01-01T00:00:00Z", active: 2 });
  await cluster.pass(30_000);
  expect(cluster.job("task").status).toEqual({
    startTime: "2026-01-01T00:00:00Z",
    completionTime: "2026-01-01T00:00:30Z",
    succeeded: 5,
    conditions: [
      {
        type: "Complete",
        status: "True",
        lastProbeTime: "2026-01-01T00:00:30Z",
        lastTransitionTime: "2026-01-01T00:00:30Z",
      },
    ],
  });
  expect(cluster.pods().map(({ status }) => status?.phase)).toEqual(
    Array.from({ length: 5 }, () => "Succeeded"),
  );
  expect(cluster.events(task).filter((event) => event.startsWith("SuccessfulCreate"))).toHaveLength(5);
  expect(cluster.events(task)).toContain("Completed: Job completed");
});

test("a job gives up when its pods fail more often than backoffLimit", async () => {
  using cluster = new SimCluster({ startDelayMs: 0 });
  const task = cluster.apply(job("task", { backoffLimit: 2 }, failing));
  await cluster.pass(5_000);
  expect(cluster.job("task").status).toMatchObject({ failed: 1 });
  await cluster.pass(10_000);
  expect(cluster.job("task").status).toMatchObject({ failed: 2 });
  await cluster.pass(30_000);
  expect(cluster.job("task").status).toMatchObject({
    failed: 3,
    conditions: [
      {
        type: "Failed",
        status: "True",
        reason: "BackoffLimitExceeded",
        message: "Job has reached the specified backoff limit",
      },
    ],
  });
  expect(cluster.events(task)).toContain("BackoffLimitExceeded: Job has reached the specified backoff limit");
  await cluster.pass(600_000);
  expect(cluster.pods()).toHaveLength(3);
});

test("with OnFailure the restarts of the pod count", async () => {
  using cluster = new SimCluster({ startDelayMs: 0 });
  cluster.apply(job("task", { backoffLimit: 2 }, { ...failing, spec: { restartPolicy: "OnFailure" } }));
  await cluster.pass(60_000);
  expect(cluster.job("task").status?.conditions?.[0]?.reason).toBe("BackoffLimitExceeded");
  expect(cluster.pods()).toEqual([]);
});

test("a job that takes too long is ended", async () => {
  using cluster = new SimCluster({ startDelayMs: 0 });
  cluster.apply(job("task", { activeDeadlineSeconds: 30 }, endless));
  await cluster.pass(29_000);
  expect(cluster.job("task").status).toMatchObject({ active: 1 });
  await cluster.pass(2_000);
  expect(cluster.job("task").status?.conditions).toMatchObject([
    { type: "Failed", reason: "DeadlineExceeded", message: "Job was active longer than specified deadline" },
  ]);
  expect(cluster.pods()).toEqual([]);
});

test("a finished job goes with its pods after its time to live", async () => {
  using cluster = new SimCluster({ startDelayMs: 0 });
  cluster.apply(job("task", { ttlSecondsAfterFinished: 60 }));
  await cluster.pass(50_000);
  expect(cluster.jobs()).toHaveLength(1);
  await cluster.pass(15_000);
  expect(cluster.jobs()).toEqual([]);
  expect(cluster.pods()).toEqual([]);
});

test("a finished pod that is deleted stays counted", async () => {
  using cluster = new SimCluster({ startDelayMs: 0 });
  cluster.apply(job("task", { completions: 2, parallelism: 1 }));
  await cluster.pass(1_500);
  const done = cluster.pods().find(({ status }) => status?.phase === "Succeeded");
  cluster.store.delete("pods", "default", done?.metadata.name ?? "");
  await cluster.pass(10_000);
  expect(cluster.job("task").status).toMatchObject({ succeeded: 2 });
  expect(cluster.pods()).toHaveLength(1);
});
