import { expect, test } from "vitest";

import { healthFacts } from "../facts/health-facts.ts";
import { judge } from "../judge.ts";

interface Parts {
  readonly spec?: object;
  readonly status?: object;
  readonly generation?: number;
}

const object = (apiVersion: string, kind: string, { spec, status, generation }: Parts): unknown => ({
  apiVersion,
  kind,
  metadata: { name: "web", generation },
  spec,
  status,
});

type Case = [kind: string, name: string, parts: Parts, health: string, reason: string, message: RegExp];

const rolledOut = { replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2 };
const exceeded = {
  type: "ReplicaFailure",
  status: "True",
  reason: "FailedCreate",
  message: 'pods "web-1" is forbidden: exceeded quota: small',
};

const cases: readonly Case[] = [
  [
    "Deployment",
    "rolled out",
    { spec: { replicas: 2 }, status: rolledOut },
    "Healthy",
    "Available",
    /All 2 pods/,
  ],
  [
    "Deployment",
    "scaled to zero",
    { spec: { replicas: 0 }, status: {} },
    "Healthy",
    "ScaledToZero",
    /No pods are wanted/,
  ],
  ["Deployment", "no status yet", { spec: {} }, "Progressing", "RollingOut", /0 of 1/],
  ["Deployment", "paused", { spec: { paused: true }, status: rolledOut }, "Suspended", "Paused", /paused/],
  [
    "Deployment",
    "not observed",
    { generation: 3, spec: { replicas: 2 }, status: { ...rolledOut, observedGeneration: 2 } },
    "Progressing",
    "NotObserved",
    /newest spec/,
  ],
  [
    "Deployment",
    "deadline exceeded",
    {
      spec: { replicas: 2 },
      status: {
        conditions: [
          {
            type: "Progressing",
            status: "False",
            reason: "ProgressDeadlineExceeded",
            message: 'ReplicaSet "web-1" has timed out progressing.',
          },
        ],
      },
    },
    "Degraded",
    "ProgressDeadlineExceeded",
    /stuck: ReplicaSet "web-1" has timed out/,
  ],
  [
    "Deployment",
    "over quota",
    { spec: { replicas: 2 }, status: { conditions: [exceeded] } },
    "Degraded",
    "QuotaExceeded",
    /exceeded quota/,
  ],
  [
    "Deployment",
    "half updated",
    { spec: { replicas: 2 }, status: { ...rolledOut, updatedReplicas: 1 } },
    "Progressing",
    "RollingOut",
    /1 of 2 pods are of the newest/,
  ],
  [
    "Deployment",
    "old pods left",
    { spec: { replicas: 2 }, status: { ...rolledOut, replicas: 3 } },
    "Progressing",
    "RollingOut",
    /1 pods of older/,
  ],
  [
    "Deployment",
    "not available",
    { spec: { replicas: 2 }, status: { ...rolledOut, availableReplicas: 1 } },
    "Progressing",
    "RollingOut",
    /1 of 2 pods are available/,
  ],
  [
    "Deployment",
    "hostile",
    { spec: { replicas: "2" }, status: { replicas: Number.NaN, conditions: {} } },
    "Progressing",
    "RollingOut",
    /./,
  ],
  [
    "ReplicaSet",
    "available",
    { spec: { replicas: 1 }, status: { availableReplicas: 1 } },
    "Healthy",
    "Available",
    /one pod/,
  ],
  [
    "ReplicaSet",
    "short",
    { spec: { replicas: 3 }, status: { availableReplicas: 1 } },
    "Progressing",
    "RollingOut",
    /1 of 3/,
  ],
  [
    "ReplicaSet",
    "refused",
    { spec: {}, status: { conditions: [{ ...exceeded, message: "denied by a webhook" }] } },
    "Degraded",
    "FailedCreate",
    /webhook/,
  ],
  [
    "StatefulSet",
    "rolled out",
    {
      spec: { replicas: 2 },
      status: { readyReplicas: 2, updatedReplicas: 2, currentRevision: "a", updateRevision: "a" },
    },
    "Healthy",
    "Available",
    /All 2/,
  ],
  [
    "StatefulSet",
    "rolling",
    {
      spec: { replicas: 2 },
      status: { readyReplicas: 2, updatedReplicas: 1, currentRevision: "a", updateRevision: "b" },
    },
    "Progressing",
    "RollingOut",
    /1 of 2/,
  ],
  [
    "StatefulSet",
    "not ready",
    { spec: { replicas: 2 }, status: { readyReplicas: 1 } },
    "Progressing",
    "RollingOut",
    /1 of 2 pods are ready/,
  ],
  [
    "StatefulSet",
    "partition done",
    {
      spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
      status: { readyReplicas: 3, updatedReplicas: 1, currentRevision: "a", updateRevision: "b" },
    },
    "Healthy",
    "PartitionUpdated",
    /from number 2 on/,
  ],
  [
    "StatefulSet",
    "partition under way",
    {
      spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } },
      status: { readyReplicas: 3, updatedReplicas: 1, currentRevision: "a", updateRevision: "b" },
    },
    "Progressing",
    "RollingOut",
    /1 of 2 pods above the partition/,
  ],
  [
    "StatefulSet",
    "by hand",
    {
      spec: { replicas: 1, updateStrategy: { type: "OnDelete" } },
      status: { readyReplicas: 1, currentRevision: "a", updateRevision: "b" },
    },
    "Healthy",
    "OnDelete",
    /deletes them/,
  ],
  [
    "DaemonSet",
    "on all nodes",
    { spec: {}, status: { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 } },
    "Healthy",
    "Available",
    /all 3 nodes/,
  ],
  [
    "DaemonSet",
    "rolling",
    { spec: {}, status: { desiredNumberScheduled: 3, updatedNumberScheduled: 1, numberAvailable: 3 } },
    "Progressing",
    "RollingOut",
    /1 of 3/,
  ],
  [
    "DaemonSet",
    "not available",
    { spec: {}, status: { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2 } },
    "Progressing",
    "RollingOut",
    /2 of 3/,
  ],
  [
    "DaemonSet",
    "by hand",
    {
      spec: { updateStrategy: { type: "OnDelete" } },
      status: { desiredNumberScheduled: 3, updatedNumberScheduled: 0, numberAvailable: 3 },
    },
    "Healthy",
    "OnDelete",
    /deletes them/,
  ],
  [
    "DaemonSet",
    "by hand, and broken",
    {
      spec: { updateStrategy: { type: "OnDelete" } },
      status: { desiredNumberScheduled: 3, numberAvailable: 2 },
    },
    "Progressing",
    "RollingOut",
    /2 of 3/,
  ],
  ["DaemonSet", "no status", { spec: {} }, "Progressing", "NoStatus", /not reported/],
];

test.each(cases)("%s: %s", (kind, _name, parts, ...[health, reason, message]) => {
  const found = judge(healthFacts(object("apps/v1", kind, parts)));
  expect(found).toMatchObject({ health, reason });
  expect(found.message).toMatch(message);
});

const complete = { type: "Complete", status: "True" };
const failed = {
  type: "Failed",
  status: "True",
  reason: "BackoffLimitExceeded",
  message: "Job has reached the specified backoff limit",
};

test.each<Case>([
  ["Job", "done", { status: { conditions: [complete] } }, "Healthy", "Completed", /done/],
  [
    "Job",
    "failed",
    { status: { conditions: [failed] } },
    "Degraded",
    "BackoffLimitExceeded",
    /backoff limit/,
  ],
  ["Job", "suspended", { spec: { suspend: true }, status: {} }, "Suspended", "Suspended", /suspended/],
  [
    "Job",
    "at work",
    { status: { active: 2, failed: 1 } },
    "Progressing",
    "Running",
    /2 pods .* 1 have failed/,
  ],
  [
    "Job",
    "hostile",
    { spec: [], status: { conditions: [{ type: 5 }, null] } },
    "Progressing",
    "Running",
    /0 pods/,
  ],
  ["CronJob", "suspended", { spec: { suspend: true } }, "Suspended", "Suspended", /suspended/],
  ["CronJob", "not due", { spec: {}, status: {} }, "Healthy", "NotYetScheduled", /due/],
  [
    "CronJob",
    "fine",
    { status: { lastScheduleTime: "2026-01-01T00:00:00Z", lastSuccessfulTime: "2026-01-01T00:01:00Z" } },
    "Healthy",
    "LastJobSucceeded",
    /succeeded/,
  ],
  [
    "CronJob",
    "last one failed",
    { status: { lastScheduleTime: "2026-01-01T00:05:00Z", lastSuccessfulTime: "2026-01-01T00:01:00Z" } },
    "Degraded",
    "LastJobFailed",
    /without success/,
  ],
  [
    "CronJob",
    "none succeeded",
    { status: { lastScheduleTime: "2026-01-01T00:05:00Z" } },
    "Degraded",
    "LastJobFailed",
    /without success/,
  ],
  [
    "CronJob",
    "first run",
    { status: { active: [{ name: "a" }], lastScheduleTime: "2026-01-01T00:05:00Z" } },
    "Progressing",
    "FirstRun",
    /none has succeeded/,
  ],
  [
    "CronJob",
    "another run",
    {
      status: {
        active: [{}],
        lastScheduleTime: "2026-01-01T00:05:00Z",
        lastSuccessfulTime: "2026-01-01T00:01:00Z",
      },
    },
    "Healthy",
    "Running",
    /runs/,
  ],
])("%s: %s", (kind, _name, parts, ...[health, reason, message]) => {
  const found = judge(healthFacts(object("batch/v1", kind, parts)));
  expect(found).toMatchObject({ health, reason });
  expect(found.message).toMatch(message);
});
