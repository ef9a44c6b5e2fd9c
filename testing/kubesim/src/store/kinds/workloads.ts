import { readPath, readRecord } from "../json-value.ts";
import type { SimObject } from "../sim-api.ts";
import { mapSpec } from "./defaulting.ts";
import type { KindRules } from "./kind-rules.ts";

/** Nobody creates an object with a status: it begins with what the server knows. */
function beginsWith(status: Readonly<Record<string, unknown>>): KindRules {
  return { onCreate: (object) => ({ ...object, status }) };
}

export const deploymentRules = beginsWith({});
export const replicaSetRules = beginsWith({ replicas: 0 });
export const statefulSetRules = beginsWith({ replicas: 0, availableReplicas: 0 });
export const daemonSetRules = beginsWith({
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
});
export const cronJobRules = beginsWith({});
export const autoscalerRules = beginsWith({ currentMetrics: null, desiredReplicas: 0 });
export const disruptionBudgetRules = beginsWith({
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
});
export const ingressRules = beginsWith({ loadBalancer: {} });

export const jobRules: KindRules = {
  onCreate: (job, context) => ({ ...withJobSelector(job, context.minorVersion), status: {} }),
};

/** A job finds its pods by its own uid, so that two jobs with equal labels never mix. */
function withJobSelector(job: SimObject, minorVersion: number): SimObject {
  if (readPath(job, "spec.manualSelector") === true) return job;
  const { uid, name } = job.metadata;
  const current = { "batch.kubernetes.io/controller-uid": uid };
  const legacy = { "controller-uid": uid, "job-name": name };
  const labels =
    minorVersion >= 27 ? { ...current, "batch.kubernetes.io/job-name": name, ...legacy } : legacy;
  return mapSpec(job, (spec) => ({
    ...spec,
    selector: { matchLabels: minorVersion >= 27 ? current : { "controller-uid": uid } },
    template: {
      ...readRecord({ spec }, "spec.template"),
      metadata: {
        ...readRecord({ spec }, "spec.template.metadata"),
        labels: { ...readRecord({ spec }, "spec.template.metadata.labels"), ...labels },
      },
    },
  }));
}
