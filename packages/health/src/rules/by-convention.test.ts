import { expect, test } from "vitest";

import { healthFacts } from "../facts/health-facts.ts";
import { judge } from "../judge.ts";

interface Parts {
  readonly id?: string;
  readonly generation?: number;
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: unknown;
}

/** An object of a kind that nobody has seen, unless its id says otherwise. */
function judged({ id = "example.com/v1/Widget", generation, metadata, spec, status }: Parts): {
  health: string;
  reason: string;
  message: string;
} {
  const parts = id.split("/");
  const object = {
    apiVersion: parts.slice(0, -1).join("/"),
    kind: parts.at(-1),
    metadata: { name: "a", generation, ...metadata },
    spec,
    status,
  };
  return judge(healthFacts(object));
}

const on = (type: string, status: unknown, reason = "", message = ""): object => ({
  type,
  status,
  reason,
  message,
});
const conditions = (...all: readonly object[]): Parts => ({ status: { conditions: all } });

type Case = [name: string, parts: Parts, health: string, reason?: string];

test.each<Case>([
  ["ready", conditions(on("Ready", "True", "Done")), "Healthy", "Done"],
  [
    "ready, with parts that are not in use",
    conditions(on("CacheAvailable", "False"), on("Ready", "True")),
    "Healthy",
  ],
  ["ready is a boolean", conditions(on("Ready", true)), "Healthy"],
  [
    "not ready, by a failure",
    conditions(on("Ready", "False", "DatabaseFailed", "no route")),
    "Degraded",
    "DatabaseFailed",
  ],
  [
    "not ready, by the message",
    conditions(on("Ready", "False", "", "unable to reach the database")),
    "Degraded",
    "NotReady",
  ],
  ["not ready, being made", conditions(on("Ready", "False", "Creating")), "Progressing", "Creating"],
  [
    "not ready, under way with an error",
    conditions(on("Ready", "False", "Applying", "Error: syntax")),
    "Degraded",
    "Applying",
  ],
  ["not ready, no word why", conditions(on("Ready", "False")), "Degraded", "NotReady"],
  [
    "not ready, no word why, but a phase",
    { status: { phase: "Provisioning", conditions: [on("Ready", "False")] } },
    "Progressing",
  ],
  ["ready is not known", conditions(on("Ready", "Unknown", "Probing")), "Progressing", "Probing"],
  [
    "ready cannot be told",
    conditions(on("Ready", "Unknown", "PartialTriggerError")),
    "Unknown",
    "PartialTriggerError",
  ],
  [
    "an error has occurred",
    conditions(on("ErrorOccurred", "True", "Broken"), on("Seen", "True")),
    "Degraded",
    "Broken",
  ],
  [
    "scaling up, though available",
    conditions(on("ScalingUp", "True"), on("Available", "True")),
    "Progressing",
    "ScalingUp",
  ],
  [
    "a warning beside ready",
    conditions(on("Warning", "True", "DeprecatedFields"), on("Ready", "True")),
    "Healthy",
  ],
  [
    "what it needs is not ready",
    conditions(on("Ready", "False", "DependencyNotReady", "Dependency not ready")),
    "Progressing",
  ],
  ["ready is nonsense", conditions(on("Ready", "maybe")), "Unknown", "UnexpectedStatus"],
  [
    "stalled outweighs reconciling",
    conditions(on("Reconciling", "True"), on("Stalled", "True", "Broken", "gave up")),
    "Degraded",
    "Broken",
  ],
  [
    "reconciling, though ready before",
    conditions(on("Reconciling", "True", "NewRevision"), on("Ready", "True")),
    "Progressing",
    "NewRevision",
  ],
  [
    "degraded, though available",
    conditions(on("Available", "True"), on("Degraded", "True", "OneDown")),
    "Degraded",
    "OneDown",
  ],
  ["not degraded", conditions(on("Degraded", "False"), on("Available", "True")), "Healthy"],
  [
    "progressing is over",
    conditions(on("Available", "True"), on("Progressing", "True", "NewReplicaSetAvailable")),
    "Healthy",
  ],
  [
    "progressing has ended badly",
    conditions(on("Progressing", "False", "ProgressDeadlineExceeded")),
    "Degraded",
  ],
  [
    "synced fails, though ready",
    conditions(on("Ready", "True"), on("Synced", "False", "ReconcileError", "denied")),
    "Degraded",
    "ReconcileError",
  ],
  [
    "synced is paused",
    conditions(on("Ready", "True"), on("Synced", "False", "ReconcilePaused")),
    "Suspended",
    "ReconcilePaused",
  ],
  ["succeeded", conditions(on("Succeeded", "True", "Completed")), "Healthy", "Completed"],
  ["succeeded is not known yet", conditions(on("Succeeded", "Unknown", "Running")), "Progressing", "Running"],
  [
    "severity tells",
    conditions({ ...on("Ready", "False", "WaitingForMachines"), severity: "Info" }),
    "Progressing",
  ],
  [
    "a part fails, and nothing speaks for all",
    conditions(on("DatabaseReady", "False"), on("CacheReady", "True")),
    "Degraded",
    "NotDatabaseReady",
  ],
  [
    "a condition that means nothing to anybody",
    conditions(on("Managed", "False"), on("Seen", "True")),
    "Healthy",
  ],
  [
    "a name before the type",
    conditions(on("example.com/Ready", "False", "CreateFailed")),
    "Degraded",
    "CreateFailed",
  ],
  [
    "conditions of an older generation",
    { generation: 2, ...conditions({ ...on("Ready", "True"), observedGeneration: 1 }) },
    "Progressing",
    "NotObserved",
  ],
  [
    "status of an older generation",
    { generation: 2, status: { observedGeneration: 1, phase: "Ready" } },
    "Progressing",
    "NotObserved",
  ],
  [
    "parents, one of them refused",
    {
      status: {
        parents: [
          { conditions: [on("Accepted", "True")] },
          { conditions: [on("Accepted", "False", "NoMatchingParent")] },
        ],
      },
    },
    "Degraded",
    "NoMatchingParent",
  ],
  ["phase", { status: { phase: "Running" } }, "Healthy", "Running"],
  [
    "phase of something that ends",
    { id: "example.com/v1/WidgetBackup", status: { phase: "Running" } },
    "Progressing",
    "Running",
  ],
  ["phase in another spelling", { status: { state: "PENDING_RERUN" } }, "Progressing", "PendingRerun"],
  ["phase with its reason", { status: { phase: "Failed", message: "disk full" } }, "Degraded", "Failed"],
  ["phase that is paused", { status: { phase: "Paused" } }, "Suspended", "Paused"],
  ["phase not found", { status: { state: "NotFound" } }, "Missing", "NotFound"],
  ["phase unknown", { status: { state: "Unknown" } }, "Unknown", "Unknown"],
  ["phase nobody knows", { status: { phase: "Frobnicated" } }, "Healthy", "NothingWrong"],
  [
    "robustness beside its state",
    { status: { state: "attached", robustness: "faulted" } },
    "Degraded",
    "Faulted",
  ],
  [
    "something it refers to is missing",
    conditions(on("InstallPlanMissing", "True", "NotFound")),
    "Degraded",
    "NotFound",
  ],
  [
    "a rollout of parts goes on",
    conditions(on("RolloutProgressing", "True", "Modified"), on("Seen", "True")),
    "Progressing",
  ],
  ["health by colour", { status: { phase: "Ready", health: "red" } }, "Degraded", "Red"],
  ["state inside", { status: { applicationState: { state: "SUBMITTED" } } }, "Progressing", "Submitted"],
  [
    "the last operation failed",
    { status: { state: "Created", lastOperation: { state: "Failed" } } },
    "Degraded",
    "Failed",
  ],
  [
    "the last operation failed, but it is ready",
    { status: { conditions: [on("Ready", "True")], lastOperation: { state: "Failed" } } },
    "Healthy",
  ],
  ["healthy is false", { status: { healthy: false } }, "Degraded", "NotHealthy"],
  ["ready is false", { status: { ready: false } }, "Progressing", "NotReady"],
  [
    "ready is false, with an error",
    { status: { ready: false, failureMessage: "no quota" } },
    "Degraded",
    "FailureMessage",
  ],
  ["failed is true", { status: { result: { failed: true } } }, "Degraded", "Failed"],
  ["no errors is no error", { status: { phase: "NoErrors" } }, "Healthy"],
  [
    "copies are missing",
    { spec: { replicas: 3 }, status: { replicas: 3, readyReplicas: 1 } },
    "Progressing",
    "RollingOut",
  ],
  [
    "suspended by its spec",
    { spec: { suspend: true }, status: { phase: "Failed" } },
    "Suspended",
    "Suspended",
  ],
  ["paused by its spec", { spec: { paused: true } }, "Suspended"],
  ["paused, but not by true", { spec: { paused: "yes" } }, "Healthy"],
  [
    "being deleted",
    { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" }, status: { phase: "Failed" } },
    "Progressing",
    "Terminating",
  ],
  ["no status", { spec: {} }, "Healthy", "NoStatus"],
  ["no status, and copies wanted", { spec: { replicas: 2 } }, "Progressing", "NoStatus"],
  ["empty status", { status: {} }, "Progressing", "NotReported"],
  ["empty status of configuration", { id: "example.com/v1/ProviderConfig", status: {} }, "Healthy"],
  ["no conditions yet", { status: { conditions: [] } }, "Progressing", "NotReported"],
  ["status that is no object", { status: 7 }, "Healthy", "NoStatus"],
  [
    "conditions that are none",
    { status: { conditions: [null, 1, { type: "" }, { status: "True" }] } },
    "Healthy",
  ],
  [
    "Argo CD",
    {
      id: "argoproj.io/v1alpha1/Application",
      status: { health: { status: "Degraded" }, sync: { status: "Synced" } },
    },
    "Degraded",
  ],
  [
    "Argo CD, sync failed",
    {
      id: "argoproj.io/v1alpha1/Application",
      status: { health: { status: "Healthy" }, operationState: { phase: "Failed", message: "x" } },
    },
    "Degraded",
    "SyncFailed",
  ],
  ["Argo CD, new", { id: "argoproj.io/v1alpha1/Application" }, "Progressing", "NotReported"],
  [
    "Argo Rollouts, at a pause",
    { id: "argoproj.io/v1alpha1/Rollout", status: { phase: "Paused", message: "CanaryPauseStep" } },
    "Suspended",
    "CanaryPauseStep",
  ],
  [
    "Argo Rollouts, aborted",
    { id: "argoproj.io/v1alpha1/Rollout", status: { phase: "Degraded", message: "RolloutAborted" } },
    "Degraded",
  ],
  [
    "Argo Workflows, at work",
    { id: "argoproj.io/v1alpha1/Workflow", status: { phase: "Running" } },
    "Progressing",
  ],
  [
    "Argo Workflows, done",
    { id: "argoproj.io/v1alpha1/Workflow", status: { phase: "Succeeded" } },
    "Healthy",
  ],
  [
    "cert-manager, being issued",
    {
      id: "cert-manager.io/v1/Certificate",
      ...conditions(on("Issuing", "True", "DoesNotExist"), on("Ready", "Unknown")),
    },
    "Progressing",
  ],
  [
    "cert-manager, new",
    { id: "cert-manager.io/v1/Certificate", status: { revision: 1 } },
    "Progressing",
    "NotReported",
  ],
  [
    "Strimzi, not ready",
    { id: "kafka.strimzi.io/v1/Kafka", ...conditions(on("NotReady", "True", "TimeoutException")) },
    "Degraded",
    "TimeoutException",
  ],
  [
    "Strimzi, being created",
    { id: "kafka.strimzi.io/v1/Kafka", ...conditions(on("NotReady", "True", "Creating")) },
    "Progressing",
    "Creating",
  ],
  [
    "Prometheus, some pods",
    {
      id: "monitoring.coreos.com/v1/Prometheus",
      ...conditions(on("Available", "Degraded", "SomePodsNotReady")),
    },
    "Progressing",
  ],
  [
    "Prometheus operator's rules",
    { id: "monitoring.coreos.com/v1/PrometheusRule", spec: {} },
    "Healthy",
    "NoStatus",
  ],
  ["Gloo, by number", { id: "gloo.solo.io/v1/Upstream", status: { state: 2 } }, "Degraded", "Rejected"],
  ["snapshot, not yet", { id: "snapshot.storage.k8s.io/v1/VolumeSnapshot", status: {} }, "Progressing"],
  ["snapshot", { id: "snapshot.storage.k8s.io/v1/VolumeSnapshot", status: { readyToUse: true } }, "Healthy"],
])("%s", (_name, parts, health, reason) => {
  expect(judged(parts)).toMatchObject({ health, ...(reason === undefined ? {} : { reason }) });
});

test("messages quote what the controller said", () => {
  expect(judged({ status: { phase: "Failed", message: "disk full" } }).message).toBe(
    "phase is Failed: disk full.",
  );
  expect(judged(conditions(on("Ready", "False", "DatabaseFailed", "no\n route"))).message).toBe(
    "Ready is false: no route.",
  );
});
