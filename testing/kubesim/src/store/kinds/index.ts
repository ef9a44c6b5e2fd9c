import { daemonSetRules } from "./daemon-set.ts";
import { eventRules } from "./event.ts";
import { jobRules } from "./job.ts";
import type { KindRules } from "./kind-rules.ts";
import { namespaceRules } from "./namespace.ts";
import { nodeRules } from "./node.ts";
import { podRules } from "./pod.ts";
import { serviceRules } from "./service.ts";
import { claimRules, volumeRules } from "./storage.ts";
import { withTemplates } from "./template-times.ts";
import * as workloads from "./workloads.ts";

const podTemplate = "spec.template.metadata";

/** By table key. A kind without an entry follows the rules of all objects. */
export const kindRules: Readonly<Record<string, KindRules>> = {
  events: eventRules,
  namespaces: namespaceRules,
  nodes: nodeRules,
  persistentvolumeclaims: claimRules,
  persistentvolumes: volumeRules,
  pods: podRules,
  replicationcontrollers: withTemplates(workloads.replicationControllerRules, podTemplate),
  services: serviceRules,
  "cronjobs.batch": withTemplates(
    workloads.cronJobRules,
    "spec.jobTemplate.metadata",
    "spec.jobTemplate.spec.template.metadata",
  ),
  "daemonsets.apps": withTemplates(daemonSetRules, podTemplate),
  "deployments.apps": withTemplates(workloads.deploymentRules, podTemplate),
  "horizontalpodautoscalers.autoscaling": workloads.autoscalerRules,
  "ingresses.networking.k8s.io": workloads.ingressRules,
  "jobs.batch": withTemplates(jobRules, podTemplate),
  "poddisruptionbudgets.policy": workloads.disruptionBudgetRules,
  "replicasets.apps": withTemplates(workloads.replicaSetRules, podTemplate),
  "statefulsets.apps": withTemplates(
    workloads.statefulSetRules,
    podTemplate,
    "spec.volumeClaimTemplates.metadata",
  ),
};
