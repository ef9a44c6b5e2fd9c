import type { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import type { CoreEvent } from "../kinds/event.ts";
import { WorkLoop } from "../loop/work-loop.ts";
import { pod } from "../testing/manifests.ts";
import { SimCluster } from "../testing/sim-cluster.ts";
import { EventLog, type EventLogOptions } from "./event-log.ts";
import { EventRecorder } from "./event-recorder.ts";

function start(options: EventLogOptions = {}): {
  cluster: SimCluster;
  log: EventLog;
  clock: ManualClock;
  events: () => CoreEvent[];
} {
  const cluster = new SimCluster({ nodes: 0 });
  const loop = new WorkLoop({ clock: cluster.clock });
  const log = new EventLog(cluster.store, loop, options);
  const events = (): CoreEvent[] => cluster.store.list("events", "default") as CoreEvent[];
  return { cluster, log, clock: cluster.clock, events };
}

const target = pod("web", { spec: { schedulerName: "nobody" } });

test("an event names its object, its source and its time", () => {
  const { cluster, log, events } = start();
  const web = cluster.apply(target);
  const kubelet = new EventRecorder(log, { component: "kubelet", host: "node-1" });
  kubelet.normal(web, "Started", "Started container app", "spec.containers{app}");
  expect(events()).toMatchObject([
    {
      metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/), namespace: "default" },
      involvedObject: {
        kind: "Pod",
        namespace: "default",
        name: "web",
        uid: web.metadata.uid,
        apiVersion: "v1",
        fieldPath: "spec.containers{app}",
      },
      reason: "Started",
      message: "Started container app",
      source: { component: "kubelet", host: "node-1" },
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
      count: 1,
      type: "Normal",
    },
  ]);
});

test("the same thing said again counts up and keeps its first time", async () => {
  const { cluster, log, clock, events } = start();
  const web = cluster.apply(target);
  const recorder = new EventRecorder(log, { component: "kubelet" });
  recorder.warning(web, "BackOff", "Back-off");
  await clock.advance(15_000);
  recorder.warning(web, "BackOff", "Back-off");
  expect(events()).toMatchObject([
    { count: 2, firstTimestamp: "2026-01-01T00:00:00Z", lastTimestamp: "2026-01-01T00:00:15Z" },
  ]);
});

test("the scheduler's events carry a series", () => {
  const { cluster, log, events } = start();
  const web = cluster.apply(target);
  const recorder = new EventRecorder(log, { component: "default-scheduler", action: "Scheduling" });
  recorder.warning(web, "FailedScheduling", "0/0 nodes are available");
  recorder.warning(web, "FailedScheduling", "0/0 nodes are available");
  expect(events()).toMatchObject([
    {
      action: "Scheduling",
      reportingComponent: "default-scheduler",
      eventTime: "2026-01-01T00:00:00.000000Z",
      series: { count: 2, lastObservedTime: "2026-01-01T00:00:00.000000Z" },
    },
  ]);
});

test("one object is not spoken of without end", () => {
  const { cluster, log, events } = start();
  const web = cluster.apply(target);
  const recorder = new EventRecorder(log, { component: "kubelet" });
  for (let said = 0; said < 100; said++) recorder.normal(web, "Pulled", "Pulled it");
  expect(events()).toMatchObject([{ count: 25 }]);
});

test("events leave an hour after they were last seen", async () => {
  const { cluster, log, clock, events } = start();
  const web = cluster.apply(target);
  const recorder = new EventRecorder(log, { component: "kubelet" });
  recorder.normal(web, "First", "once");
  recorder.normal(web, "Again", "twice");
  await clock.advance(1_800_000);
  recorder.normal(web, "Again", "twice");
  await clock.advance(1_900_000);
  expect(events().map(({ reason }) => reason)).toEqual(["Again"]);
  await clock.advance(1_800_000);
  expect(events()).toEqual([]);
});

test("there are never more events than allowed", async () => {
  const { cluster, log, clock, events } = start({ maxEvents: 10 });
  const recorder = new EventRecorder(log, { component: "kubelet" });
  for (let index = 0; index < 30; index++) {
    recorder.normal(
      cluster.apply(pod(`web-${index}`, { spec: { schedulerName: "nobody" } })),
      "Started",
      "Started container app",
    );
    await clock.advance(60_000);
  }
  const about = events().map(({ involvedObject }) => involvedObject.name);
  expect(about.filter((name) => name?.startsWith("web-"))).toHaveLength(10);
  expect(about).toContain("web-29");
});
