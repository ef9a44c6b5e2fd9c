import { expect, test } from "vitest";

import type { CronJob } from "../kinds/batch.ts";
import { cronJob } from "../testing/manifests.ts";
import { SimCluster } from "../testing/sim-cluster.ts";

const minute = 60_000;

test("a job starts every minute and is forgotten in time", async () => {
  using cluster = new SimCluster();
  const tick = cluster.apply(cronJob("tick"));
  await cluster.pass(5 * minute + 30_000);
  const names = cluster.jobs().map(({ metadata }) => metadata.name);
  const first = Date.UTC(2026, 0, 1) / minute;
  expect(names.sort()).toEqual([3, 4, 5].map((offset) => `tick-${first + offset}`));
  expect(cluster.cronJob("tick").status).toEqual({
    lastScheduleTime: "2026-01-01T00:05:00Z",
    lastSuccessfulTime: "2026-01-01T00:05:01Z",
  });
  const events = cluster.events(tick);
  expect(events).toContain(`SuccessfulCreate: Created job tick-${first + 1}`);
  expect(events).toContain(`SawCompletedJob: Saw completed job: tick-${first + 1}, condition: Complete`);
  expect(events).toContain(`SuccessfulDelete: Deleted job tick-${first + 1}`);
  expect(cluster.jobs()[0]?.metadata.ownerReferences?.[0]).toMatchObject({ kind: "CronJob", name: "tick" });
});

test.each([
  ["Allow", 3, 3],
  ["Forbid", 1, 1],
  ["Replace", 1, 1],
] as const)("with %s, %i jobs run after three minutes", async (concurrencyPolicy, jobs, active) => {
  using cluster = new SimCluster({ jobRunSeconds: 3600 });
  cluster.apply(cronJob("tick", { concurrencyPolicy }));
  await cluster.pass(3 * minute + 30_000);
  expect(cluster.jobs()).toHaveLength(jobs);
  expect(cluster.cronJob("tick").status?.active).toHaveLength(active);
  const last = Date.UTC(2026, 0, 1) / minute + (concurrencyPolicy === "Forbid" ? 1 : 3);
  expect(cluster.jobs().map(({ metadata }) => metadata.name)).toContain(`tick-${last}`);
});

test("a suspended cron job rests", async () => {
  using cluster = new SimCluster();
  const tick = cluster.apply(cronJob("tick", { suspend: true })) as CronJob;
  await cluster.pass(3 * minute);
  expect(cluster.jobs()).toEqual([]);
  cluster.change(tick, (live) => ({
    ...live,
    spec: { ...live.spec, suspend: false, startingDeadlineSeconds: 10 },
  }));
  await cluster.pass(2 * minute);
  expect(cluster.jobs()).toHaveLength(3);
});

test("failed jobs have a history of their own", async () => {
  using cluster = new SimCluster();
  cluster.nodes.behaviour({ name: /^tick-/ }, { kind: "fail" });
  const spec = cronJob("tick")["spec"] as { jobTemplate: { spec: object } };
  const jobTemplate = {
    spec: { ...spec.jobTemplate.spec, backoffLimit: 0 },
  } as CronJob["spec"]["jobTemplate"];
  cluster.apply(cronJob("tick", { jobTemplate }));
  await cluster.pass(4 * minute + 30_000);
  expect(cluster.jobs().map(({ status }) => status?.conditions?.[0]?.type)).toEqual(["Failed"]);
});

test("a schedule that cannot be read is reported", async () => {
  using cluster = new SimCluster();
  const tick = cluster.apply(cronJob("tick")) as CronJob;
  cluster.change(tick, (live) => ({ ...live, spec: { ...live.spec, schedule: "every day" } }));
  await cluster.pass(minute);
  expect(cluster.events(tick)).toEqual(["UnparseableSchedule: unparseable schedule: every day"]);
});
