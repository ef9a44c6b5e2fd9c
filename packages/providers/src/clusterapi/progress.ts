import type { ProviderAnswer, ProviderStep } from "../provider.ts";
import type { ClusterView } from "./cluster-view.ts";

const stepTexts = {
  writing: { text: "Writing the objects into the management cluster", expectedSeconds: 10 },
  infrastructure: { text: "Waiting for the network and what else the machines need", expectedSeconds: 180 },
  controlPlane: { text: "Waiting for the control plane", expectedSeconds: 480 },
  machines: { text: "Waiting for the machines", expectedSeconds: 300 },
} as const;
type StepName = keyof typeof stepTexts;

const stepNames: readonly StepName[] = ["writing", "infrastructure", "controlPlane", "machines"];

/** How often a cluster is looked at that is being made, and one that is as it should be. */
const workingMs = 10_000;
const settledMs = 60_000;

export function stepNamed(name: StepName): ProviderStep {
  return { number: stepNames.indexOf(name) + 1, of: stepNames.length, ...stepTexts[name] };
}

interface ProgressOptions {
  /** It was ready once: from then on it works, or something is being changed, but it is not being created. */
  readonly wasReady: boolean;
}

/** How a Cluster stands whose objects are as they are wanted. */
export function progressOf(view: ClusterView, { wasReady }: ProgressOptions): ProviderAnswer {
  if (view.isPaused) {
    const message =
      "Somebody has paused the Cluster in the management cluster (spec.paused), so nothing happens to it until that is taken back.";
    return { state: "blocked", reason: "Paused", message, retryAfterMs: settledMs };
  }
  if (view.failure !== undefined) {
    const message = `Cluster API says that it cannot go on: ${view.failure}`;
    return { state: "blocked", reason: "ClusterFailed", message, retryAfterMs: settledMs };
  }
  return wasReady ? lifeOf(view) : creationOf(view);
}

function creationOf(view: ClusterView): ProviderAnswer {
  const { said } = view;
  if (!view.hasInfrastructure) return creating("infrastructure", "CreatingNetwork", said.infrastructure);
  if (!view.hasControlPlane) return creating("controlPlane", "CreatingControlPlane", said.controlPlane);
  const isComplete = view.isObserved && view.isAvailable && view.areMachinesReady && !view.isChanging;
  if (!isComplete) return creating("machines", "CreatingNodes", said.machines || said.changes);
  return { state: "ready", retryAfterMs: settledMs };
}

function creating(name: StepName, reason: string, message: string): ProviderAnswer {
  return {
    state: "creating",
    reason,
    step: stepNamed(name),
    ...(message === "" ? {} : { message }),
    retryAfterMs: workingMs,
  };
}

/** A machine that fails is replaced by Cluster API, if it was told to; the cluster is there all the same. */
function lifeOf({
  isObserved,
  isChanging,
  isAvailable,
  areMachinesReady,
  said,
}: ClusterView): ProviderAnswer {
  if (!isObserved || isChanging) {
    const message = said.changes || "Cluster API has yet to look at what was changed.";
    return { state: "updating", reason: "Updating", message, retryAfterMs: workingMs };
  }
  if (!isAvailable || !areMachinesReady) {
    const message = `Cluster API says: ${said.machines || said.controlPlane || "the cluster is not available"}`;
    return { state: "ready", reason: "NotAvailable", message, retryAfterMs: settledMs };
  }
  return { state: "ready", retryAfterMs: settledMs };
}
