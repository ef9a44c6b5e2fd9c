import { deepEqual, readRecord, readRecords, readText, type JsonRecord } from "../json-value.ts";
import type { SimObject } from "../sim-api.ts";
import { mapSpec, withDefaults } from "./defaulting.ts";
import type { KindRules } from "./kind-rules.ts";

export const podRules: KindRules = {
  onCreate: (pod, context) => {
    const account = readText(pod, "spec.serviceAccountName") ?? "default";
    const tolerated = mapSpec(pod, (spec) => ({
      ...withDefaults(spec, {
        serviceAccountName: account,
        serviceAccount: account,
        priority: 0,
        preemptionPolicy: "PreemptLowerPriority",
      }),
      tolerations: withNodeTolerations(spec),
    }));
    return {
      ...tolerated,
      ...(context.minorVersion >= 33 ? { metadata: { ...pod.metadata, generation: 1 } } : {}),
      status: { phase: "Pending", qosClass: qosClass(pod) },
    };
  },
};

const nodeTolerations = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].map((key) => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
}));

/** Every pod outlives a short absence of its node. */
function withNodeTolerations(spec: JsonRecord): readonly JsonRecord[] {
  const own = readRecords({ spec }, "spec.tolerations");
  const missing = nodeTolerations.filter(
    ({ key }) =>
      !own.some(
        (each) => each["key"] === key || (each["key"] === undefined && each["operator"] === "Exists"),
      ),
  );
  return [...own, ...missing];
}

function qosClass(pod: SimObject): string {
  const containers = [...readRecords(pod, "spec.containers"), ...readRecords(pod, "spec.initContainers")];
  const counted = (container: JsonRecord, side: string): JsonRecord => {
    const amounts = readRecord(container, `resources.${side}`) ?? {};
    return Object.fromEntries(
      Object.entries(amounts).filter(([name]) => name === "cpu" || name === "memory"),
    );
  };
  if (
    containers.every(
      (each) => !Object.keys({ ...counted(each, "requests"), ...counted(each, "limits") }).length,
    )
  ) {
    return "BestEffort";
  }
  const guaranteed = containers.every((each) => {
    const limits = counted(each, "limits");
    return Object.keys(limits).length === 2 && deepEqual(counted(each, "requests"), limits);
  });
  return guaranteed ? "Guaranteed" : "Burstable";
}
