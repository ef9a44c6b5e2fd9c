import { BowlineError } from "@bowline/core";
import type { ResourceRef } from "@bowline/kube";
import type { InventoryItem } from "@bowline/store";

import { classifyFailure } from "../cluster/classify-failure.ts";
import type { ObjectProblem, ObjectResult, ObjectState } from "../object-result.ts";

/** What is told about an object of the inventory. */
export function itemResult(
  item: InventoryItem,
  state: ObjectState,
  told: Partial<ObjectProblem> & { readonly isWritten?: boolean } = {},
): ObjectResult {
  const { group, kind, namespace, name, version, uid, digest } = item;
  const known = { ...(uid === undefined ? {} : { uid }), ...(digest === undefined ? {} : { digest }) };
  return { group, version, kind, namespace, name, ...known, state, isWritten: false, ...told };
}

export interface FailedPrune {
  readonly result: ObjectResult;
  /** Of a failure that passes by itself. */
  readonly retry?: BowlineError;
}

/** A request for an object that is to go has failed. */
export function failedPrune(
  item: InventoryItem,
  thrown: unknown,
  known: ResourceRef | undefined,
): FailedPrune {
  const error = BowlineError.from(thrown);
  const resource = known ?? { ...item, plural: item.kind, namespaced: item.namespace !== "" };
  const failure = classifyFailure(error, { ...item, resource });
  if (failure.kind === "refused") return { result: itemResult(item, "failed", failure.problem) };
  const problem: ObjectProblem =
    failure.kind === "passing" ? failure.problem : { reason: "Refused", message: error.message };
  const retry = error.retryable
    ? error
    : new BowlineError("ReconcileWaiting", problem.message, { cause: error });
  return { result: itemResult(item, "waiting", problem), retry };
}

/** Its finalizers are told by name: somebody has to look at whoever should have removed them. */
export function deletingProblem(finalizers: readonly string[]): ObjectProblem {
  const waits = finalizers.map((name) => (name === "foregroundDeletion" ? "what it owns to be gone" : name));
  const message =
    waits.length === 0 ? "It is being deleted." : `It is being deleted, and waits for ${waits.join(", ")}.`;
  return { reason: "BeingDeleted", message };
}
