import type { JsonRecord } from "../json-value.ts";
import type { KindRules } from "./kind-rules.ts";
import { withLabelsOfTemplate } from "./template-labels.ts";

/** Nobody creates an object with a status: it begins with what the server knows. */
function beginsWith(status: JsonRecord): KindRules {
  return { onCreate: (object) => ({ ...object, status }) };
}

export const deploymentRules = beginsWith({});
export const replicaSetRules = beginsWith({ replicas: 0 });
export const replicationControllerRules: KindRules = {
  onCreate: (controller) => ({ ...withLabelsOfTemplate(controller), status: { replicas: 0 } }),
  onUpdate: (next) => withLabelsOfTemplate(next),
};
export const statefulSetRules: KindRules = {
  onCreate: (set, { minorVersion }) => ({
    ...set,
    status: { replicas: 0, ...(minorVersion >= 22 ? { availableReplicas: 0 } : {}) },
  }),
};
export const cronJobRules = beginsWith({});
export const autoscalerRules: KindRules = {
  onCreate: (scaler) => ({
    ...scaler,
    status:
      scaler.apiVersion === "autoscaling/v1"
        ? { currentReplicas: 0, desiredReplicas: 0 }
        : { currentMetrics: null, desiredReplicas: 0 },
  }),
};
export const disruptionBudgetRules = beginsWith({
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
});
export const ingressRules = beginsWith({ loadBalancer: {} });
