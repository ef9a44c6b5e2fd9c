import { parseFieldSelector, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { done } from "@bowline/runtime";

import { objectController } from "../object-controller.ts";

/** Writes into instances how many placements they have, of which only the placements tell. */
export const countingController = objectController({
  kind: WorkloadInstance,
  watches: [
    { kind: WorkloadPlacement, namesOf: ({ object }) => [String(Reflect.get(object.spec, "instance"))] },
  ],
  reconciler: ({ store: { objects } }) => ({
    async reconcile({ metadata: { name } }, task) {
      const fields = parseFieldSelector(WorkloadPlacement, `spec.instance=${name}`);
      const { length: clusterCount } = await objects.listNames(WorkloadPlacement, { fields });
      await task.updateStatus((status) => ({ ...status, clusterCount }));
      return done;
    },
  }),
});
