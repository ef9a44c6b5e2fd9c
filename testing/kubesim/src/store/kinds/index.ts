import { eventRules } from "./event.ts";
import type { KindRules } from "./kind-rules.ts";
import { namespaceRules } from "./namespace.ts";
import { podRules } from "./pod.ts";
import { serviceRules } from "./service.ts";
import { claimRules, volumeRules } from "./storage.ts";
import * as workloads from "./workloads.ts";

/** By table key. A kind without an entry follows the rules of all objects. */
export const kindRules: Readonly<Record<string, KindRules>> = {
  events: eventRules,
  namespaces: namespaceRules,
  persistentvolumeclaims: claimRules,
  persistentvolumes: volumeRules,
  pods: podRules,
  replicationcontrollers: workloads.replicaSetRules,
  services: serviceRules,
  "cronjobs.batch": workloads.cronJobRules,
  "daemonsets.apps": workloads.daemonSetRules,
  "deployments.apps": workloads.deploymentRules,
  "horizontalpodautoscalers.autoscaling": workloads.autoscalerRules,
  "ingresses.networking.k8s.io": workloads.ingressRules,
  "jobs.batch": workloads.jobRules,
  "poddisruptionbudgets.policy": workloads.disruptionBudgetRules,
  "replicasets.apps": workloads.replicaSetRules,
  "statefulsets.apps": workloads.statefulSetRules,
};
