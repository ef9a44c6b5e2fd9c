import { readRecords } from "../json-value.ts";
import { mapSpec } from "./defaulting.ts";
import type { KindRules } from "./kind-rules.ts";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const;

/** No pod goes to a new node before somebody has seen that it works. */
export const nodeRules: KindRules = {
  onRequest: (node) =>
    mapSpec(node, (spec) => {
      const taints = readRecords({ spec }, "spec.taints");
      const isTainted = taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect);
      return isTainted ? spec : { ...spec, taints: [...taints, notReady] };
    }),
};
