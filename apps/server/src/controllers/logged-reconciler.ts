import type { Logger } from "@bowline/core";
import type { Reconciler } from "@bowline/runtime";

/**
 * Says at debug level when work on a key begins and ends, both while its lease is held: the logs of all replicas
 * together tell who worked on what, and when.
 */
export function loggedReconciler(reconciler: Reconciler, log: Logger): Reconciler {
  return {
    async reconcile(request, context) {
      const fields = { key: request.key, attempt: request.attempt, fence: context.lease?.token };
      log.debug(fields, "Reconcile begins");
      try {
        return await reconciler.reconcile(request, context);
      } finally {
        log.debug(fields, "Reconcile ends");
      }
    },
  };
}
