import { isRecord } from "@bowline/core";

import { amountOf } from "../../controllers/quantity.ts";
import { invalid, required } from "../field-problem.ts";
import { isList, valueAt } from "../json-value.ts";
import { atLeast, fields, invalidShown, needed, type Rule, text } from "./check.ts";

const policyRule: Rule = function* (object, path) {
  const isEmpty = (name: string): boolean => !isList(object[name]) || object[name].length === 0;
  if (isEmpty("verbs")) yield required(`${path}verbs`, "verbs must contain at least one value");
  if (!isEmpty("nonResourceURLs")) return;
  if (isEmpty("apiGroups"))
    yield required(`${path}apiGroups`, "resource rules must supply at least one api group");
  if (isEmpty("resources"))
    yield required(`${path}resources`, "resource rules must supply at least one resource");
};

const disruptionBudget: Rule = function* (spec, path) {
  if (spec["minAvailable"] === undefined || spec["maxUnavailable"] === undefined) return;
  const why = "minAvailable and maxUnavailable cannot be both set";
  yield invalidShown(path.slice(0, -1), "policy.PodDisruptionBudgetSpec{}", why);
};

const autoscaler: Rule = function* (spec, path) {
  const most = Number(spec["maxReplicas"] ?? 0);
  const fewest = Number(spec["minReplicas"] ?? 1);
  if (fewest < 1) yield invalid(`${path}minReplicas`, fewest, "must be greater than or equal to 1");
  if (most < 1) yield invalid(`${path}maxReplicas`, most, "must be greater than 0");
  if (most < fewest)
    yield invalid(`${path}maxReplicas`, most, "must be greater than or equal to `minReplicas`");
};

const claim: Rule = function* (spec, path) {
  const modes = spec["accessModes"];
  if (!isList(modes) || modes.length === 0)
    yield required(`${path}accessModes`, "at least 1 access mode is required");
  const size = valueAt(spec, "resources", "requests", "storage");
  if (typeof size !== "string" && typeof size !== "number") yield required(`${path}resources[storage]`);
  else if (amountOf(size) <= 0) yield invalid(`${path}resources[storage]`, size, "must be greater than zero");
};

const quota: Rule = function* (spec, path) {
  for (const [name, amount] of Object.entries(isRecord(spec["hard"]) ? spec["hard"] : {})) {
    if (typeof amount === "string" && amountOf(amount) < 0) {
      yield invalid(`${path}hard[${name}]`, amount, "must be greater than or equal to 0");
    }
  }
};

const event: Rule = function* (object) {
  const own = valueAt(object, "metadata", "namespace");
  const regarded = valueAt(object, "involvedObject", "namespace");
  if (text(regarded) !== "" && own !== undefined && regarded !== own) {
    yield invalid("involvedObject.namespace", regarded, "does not match event.namespace");
  }
};

const subjectNames = fields({ name: [needed()] });

export const policyRules: ReadonlyMap<string, Rule> = new Map([
  ["io.k8s.api.rbac.v1.PolicyRule", policyRule],
  ["io.k8s.api.rbac.v1.RoleRef", subjectNames],
  ["io.k8s.api.rbac.v1.Subject", subjectNames],
  ["io.k8s.api.policy.v1.PodDisruptionBudgetSpec", disruptionBudget],
  ["io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec", autoscaler],
  ["io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec", autoscaler],
  ["io.k8s.api.autoscaling.v1.CrossVersionObjectReference", fields({ kind: [needed()], name: [needed()] })],
  ["io.k8s.api.autoscaling.v2.CrossVersionObjectReference", fields({ kind: [needed()], name: [needed()] })],
  ["io.k8s.api.core.v1.PersistentVolumeClaimSpec", claim],
  ["io.k8s.api.core.v1.ResourceQuotaSpec", quota],
  ["io.k8s.api.core.v1.Event", event],
  [
    "io.k8s.api.coordination.v1.LeaseSpec",
    fields({
      leaseDurationSeconds: [atLeast(1, "must be greater than 0")],
      leaseTransitions: [atLeast(0, "must to greater or equal than 0")],
    }),
  ],
  ["io.k8s.api.storage.v1.StorageClass", fields({ provisioner: [needed()] })],
]);
