import type { SimObject } from "../sim-api.ts";
import type { KindRules } from "./kind-rules.ts";

export const claimFinalizer = "kubernetes.io/pvc-protection";
export const volumeFinalizer = "kubernetes.io/pv-protection";

export const claimRules = protectedBy(claimFinalizer);
export const volumeRules = protectedBy(volumeFinalizer);

/** Storage that is in use does not go, whoever deletes it. */
function protectedBy(finalizer: string): KindRules {
  return {
    onCreate: (object) => ({ ...object, status: { phase: "Pending" } }),
    onRequest: (object) => ({ ...object, metadata: withFinalizer(object, finalizer) }),
  };
}

function withFinalizer({ metadata }: SimObject, finalizer: string): SimObject["metadata"] {
  const { finalizers = [] } = metadata;
  return finalizers.includes(finalizer) ? metadata : { ...metadata, finalizers: [...finalizers, finalizer] };
}
