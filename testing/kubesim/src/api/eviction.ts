import type { ClusterStore } from "../store/cluster-store.ts";
import { readNumber, readPath, readRecord, readRecords, readString } from "../store/json-value.ts";
import type { JsonRecord } from "../store/json-value.ts";
import { timestamp } from "../store/object-meta.ts";
import type { SimObject } from "../store/sim-api.ts";
import { SimStatusError } from "../store/sim-status-error.ts";
import { badRequest } from "../store/status-errors.ts";
import { labelSelectorFrom } from "./label-selector.ts";

const budgets = "poddisruptionbudgets.policy";

export interface EvictionRequest {
  readonly pod: SimObject;
  readonly nowMs: number;
  readonly dryRun: boolean;
}

/** Refuses a body that is no eviction of this pod in a version the server knows. */
export function checkEviction(body: JsonRecord, pod: SimObject, minorVersion: number): void {
  const known = [
    ...(minorVersion >= 21 ? ["policy/v1"] : []),
    ...(minorVersion < 25 ? ["policy/v1beta1"] : []),
  ];
  const asked = readString(body, "apiVersion");
  if (asked !== undefined && !known.includes(asked)) {
    const version = asked.split("/").at(-1);
    throw badRequest(
      `Eviction in version "${version}" cannot be handled as a Eviction: no kind "Eviction" is registered for version "${asked}"`,
    );
  }
  if (readString(body, "metadata.name") !== pod.metadata.name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
}

/** Asks the budgets of a pod for leave; uses up one disruption, or says why the pod may not go now. */
export function admitEviction(store: ClusterStore, request: EvictionRequest): void {
  const { pod } = request;
  // A pod that does not run is missed by nobody.
  if (readString(pod, "status.phase") !== "Running" || pod.metadata.deletionTimestamp !== undefined) return;
  const [budget, second] = store
    .list(budgets, pod.metadata.namespace)
    .filter((each) => labelSelectorFrom(readPath(each, "spec.selector")).matches(pod.metadata.labels));
  if (budget === undefined) return;
  if (second !== undefined) {
    throw new SimStatusError({
      code: 500,
      message:
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    });
  }
  if (!isReady(pod) && lacksNothing(budget)) return;
  useDisruption(store, budget, request);
}

function isReady(pod: SimObject): boolean {
  return readRecords(pod, "status.conditions").some(
    ({ type, status }) => type === "Ready" && status === "True",
  );
}

/** A pod that is not ready does not count, so it may leave a budget that has all it needs without it. */
function lacksNothing(budget: SimObject): boolean {
  if (readString(budget, "spec.unhealthyPodEvictionPolicy") === "AlwaysAllow") return true;
  const { desired, current } = health(budget);
  return desired > 0 && current >= desired;
}

function useDisruption(
  store: ClusterStore,
  budget: SimObject,
  { pod, nowMs, dryRun }: EvictionRequest,
): void {
  const { name, generation = 0 } = budget.metadata;
  if ((readNumber(budget, "status.observedGeneration") ?? 0) < generation) {
    throw tooManyDisruptions(
      `The disruption budget ${name} is still being processed by the server.`,
      store.minorVersion >= namesPause ? { retryAfterSeconds: 10 } : {},
    );
  }
  const { desired, current } = health(budget);
  const allowed = readNumber(budget, "status.disruptionsAllowed") ?? 0;
  if (allowed <= 0) {
    throw tooManyDisruptions(
      `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`,
    );
  }
  if (dryRun) return;
  const status = readRecord(budget, "status");
  const disruptedPods = { ...readRecord(status, "disruptedPods"), [pod.metadata.name]: timestamp(nowMs) };
  store.updateStatus(budgets, {
    ...budget,
    status: { ...status, disruptedPods, disruptionsAllowed: allowed - 1 },
  });
}

function health(budget: SimObject): { desired: number; current: number } {
  return {
    desired: readNumber(budget, "status.desiredHealthy") ?? 0,
    current: readNumber(budget, "status.currentHealthy") ?? 0,
  };
}

/** Since then the server says when to come back, if nobody has looked at the budget yet. */
const namesPause = 21;

function tooManyDisruptions(
  why: string,
  pause: { readonly retryAfterSeconds?: number } = {},
): SimStatusError {
  return new SimStatusError({
    code: 429,
    reason: "TooManyRequests",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: "DisruptionBudget", message: why }], ...pause },
  });
}
