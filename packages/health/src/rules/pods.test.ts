import { expect, test } from "vitest";

import { healthFacts } from "../facts/health-facts.ts";
import { judge } from "../judge.ts";

interface PodParts {
  readonly phase?: string;
  readonly restartPolicy?: string;
  readonly containers?: readonly unknown[];
  readonly init?: readonly unknown[];
  readonly conditions?: readonly unknown[];
  readonly spec?: object;
  readonly status?: object;
  readonly metadata?: object;
}

function pod(parts: PodParts): unknown {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", ...parts.metadata },
    spec: { restartPolicy: parts.restartPolicy ?? "Always", containers: [{ name: "main" }], ...parts.spec },
    status: {
      phase: parts.phase ?? "Running",
      conditions: parts.conditions ?? [{ type: "Ready", status: "True" }],
      initContainerStatuses: parts.init,
      containerStatuses: parts.containers,
      ...parts.status,
    },
  };
}

const waiting = (reason: string, message = "", more: object = {}): object => ({
  name: "main",
  image: "registry.example/web:1",
  ready: false,
  restartCount: 0,
  state: { waiting: { reason, message } },
  ...more,
});
const ended = (exitCode: number, reason: string, message?: string): object => ({
  terminated: { exitCode, reason, message },
});
const running = { name: "main", ready: true, state: { running: { startedAt: "2026-01-01T00:00:00Z" } } };
const notReady = [
  {
    type: "Ready",
    status: "False",
    reason: "ContainersNotReady",
    message: "containers with unready status: [main]",
  },
];

test.each<[string, PodParts, string, string, RegExp]>([
  ["ready", { containers: [running] }, "Healthy", "Ready", /runs and is ready/],
  ["done", { phase: "Succeeded" }, "Healthy", "Completed", /done its work/],
  [
    "image that cannot be pulled",
    {
      phase: "Pending",
      containers: [waiting("ImagePullBackOff", "Back-off pulling image")],
      conditions: notReady,
    },
    "Degraded",
    "ImagePullBackOff",
    /registry\.example\/web:1 cannot be pulled: Back-off/,
  ],
  [
    "crash loop",
    {
      containers: [
        waiting("CrashLoopBackOff", "back-off 40s", {
          restartCount: 7,
          lastState: ended(3, "Error", "no config"),
        }),
      ],
      conditions: notReady,
    },
    "Degraded",
    "CrashLoopBackOff",
    /restarted 7 times and ended with exit code 3: no config/,
  ],
  [
    "crash loop of a pod that is to try again",
    {
      restartPolicy: "OnFailure",
      containers: [waiting("CrashLoopBackOff", "", { restartCount: 2, lastState: ended(1, "Error") })],
    },
    "Progressing",
    "CrashLoopBackOff",
    /exit code 1/,
  ],
  [
    "out of memory",
    {
      containers: [waiting("CrashLoopBackOff", "", { restartCount: 2, lastState: ended(137, "OOMKilled") })],
    },
    "Degraded",
    "OOMKilled",
    /exit code 137 \(OOMKilled\)/,
  ],
  [
    "config that is missing",
    { phase: "Pending", containers: [waiting("CreateContainerConfigError", 'secret "db" not found')] },
    "Degraded",
    "CreateContainerConfigError",
    /cannot be started: secret "db" not found/,
  ],
  [
    "container being created",
    { phase: "Pending", containers: [waiting("ContainerCreating")], conditions: notReady },
    "Progressing",
    "ContainerCreating",
    /is waiting/,
  ],
  [
    "init container that crashes",
    {
      phase: "Pending",
      init: [
        {
          name: "migrate",
          state: { waiting: { reason: "CrashLoopBackOff" } },
          restartCount: 4,
          lastState: ended(2, "Error", "no table"),
        },
      ],
      containers: [waiting("PodInitializing")],
    },
    "Degraded",
    "CrashLoopBackOff",
    /Init container migrate .* exit code 2: no table/,
  ],
  [
    "init container that is done",
    { init: [{ name: "migrate", state: ended(0, "Completed") }], containers: [running] },
    "Healthy",
    "Ready",
    /ready/,
  ],
  [
    "container that ended",
    { containers: [{ name: "main", ready: false, state: ended(1, "Error") }], conditions: notReady },
    "Degraded",
    "ContainerFailed",
    /exit code 1/,
  ],
  [
    "no node",
    {
      phase: "Pending",
      conditions: [
        {
          type: "PodScheduled",
          status: "False",
          reason: "Unschedulable",
          message: "0/3 nodes are available: 3 Insufficient cpu.",
        },
      ],
    },
    "Degraded",
    "Unschedulable",
    /Insufficient cpu/,
  ],
  [
    "scheduling gates",
    { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
    "Suspended",
    "SchedulingGated",
    /held back/,
  ],
  [
    "readiness probe",
    {
      spec: { containers: [{ name: "main", readinessProbe: { httpGet: { path: "/" } } }] },
      containers: [{ name: "main", ready: false, restartCount: 0, state: { running: {} } }],
      conditions: notReady,
    },
    "Progressing",
    "ReadinessProbeFailing",
    /readiness probe does not succeed/,
  ],
  [
    "startup probe, after a restart",
    {
      spec: { containers: [{ name: "main", startupProbe: {}, readinessProbe: {} }] },
      containers: [
        {
          name: "main",
          ready: false,
          started: false,
          restartCount: 1,
          state: { running: {} },
          lastState: ended(137, "Error"),
        },
      ],
      conditions: notReady,
    },
    "Degraded",
    "CrashLoopBackOff",
    /restarted once and ended with exit code 137/,
  ],
  [
    "evicted",
    { phase: "Failed", status: { reason: "Evicted", message: "The node was low on memory." } },
    "Degraded",
    "Evicted",
    /low on memory/,
  ],
  [
    "failed, with its exit code",
    { phase: "Failed", restartPolicy: "Never", containers: [{ name: "main", state: ended(9, "Error") }] },
    "Degraded",
    "ContainerFailed",
    /exit code 9/,
  ],
  ["failed in silence", { phase: "Failed" }, "Degraded", "PodFailed", /nothing says why/],
  ["node lost", { phase: "Unknown" }, "Unknown", "NodeLost", /node/],
  [
    "at work for a job",
    {
      restartPolicy: "Never",
      metadata: { ownerReferences: [{ kind: "Job", controller: true }] },
      containers: [running],
    },
    "Progressing",
    "Running",
    /has an end/,
  ],
  [
    "never restarted, and nobody's",
    { restartPolicy: "Never", containers: [running] },
    "Healthy",
    "Ready",
    /ready/,
  ],
  [
    "a hook",
    {
      restartPolicy: "Never",
      metadata: { annotations: { "helm.sh/hook": "pre-install" } },
      containers: [running],
    },
    "Progressing",
    "Running",
    /has an end/,
  ],
  [
    "readiness gate",
    {
      conditions: [{ type: "Ready", status: "False", reason: "ReadinessGatesNotReady" }],
      containers: [running],
    },
    "Progressing",
    "ReadinessGatesNotReady",
    /not ready/,
  ],
  ["nothing yet", { phase: "", conditions: [] }, "Progressing", "Pending", /Nothing is known/],
  [
    "hostile",
    { phase: "Running", containers: [null, 7, { state: [] }, { state: { waiting: 3 } }], conditions: ["x"] },
    "Progressing",
    "Running",
    /Running/,
  ],
])("pod: %s", (_name, parts, ...[health, reason, message]) => {
  const found = judge(healthFacts(pod(parts)));
  expect(found).toMatchObject({ health, reason });
  expect(found.message).toMatch(message);
});

test("a pod whose deletion takes far longer than it was given is stuck, and its finalizers are named", () => {
  const object = pod({
    metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["example.com/wait"] },
  });
  expect(judge(healthFacts(object))).toMatchObject({ health: "Progressing", reason: "Terminating" });
  expect(judge(healthFacts(object), new Date("2026-01-01T00:01:00Z")).health).toBe("Progressing");
  const late = judge(healthFacts(object), new Date("2026-01-01T00:10:00Z"));
  expect(late).toMatchObject({ health: "Degraded", reason: "DeletionStuck" });
  expect(late.message).toContain("10 minutes ago");
  expect(late.message).toContain("example.com/wait");
});
