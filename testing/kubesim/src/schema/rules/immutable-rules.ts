import { isRecord } from "@bowline/core";

import type { FieldProblem } from "../../store/status-errors.ts";
import { forbidden, invalid } from "../field-problem.ts";
import { deepEqual, isList, type JsonObject, valueAt } from "../json-value.ts";
import { invalidShown, type Problems } from "./check.ts";
import { frozenContents } from "./config-rules.ts";
import { showSelector } from "./label-rules.ts";

/** Checks one change, given both states of the object. */
type ChangeRule = (before: JsonObject, after: JsonObject) => Problems;

const immutable = "field is immutable";

const selector: ChangeRule = function* (before, after) {
  const current = valueAt(after, "spec", "selector");
  if (deepEqual(valueAt(before, "spec", "selector"), current)) return;
  yield invalidShown("spec.selector", showSelector(current), immutable);
};

/** Fields that keep their first value. */
function fixed(...paths: readonly string[]): ChangeRule {
  return function* (before, after) {
    for (const path of paths) {
      const steps = path.split(".");
      const current = valueAt(after, ...steps);
      if (!deepEqual(valueAt(before, ...steps), current)) yield invalid(path, current, immutable);
    }
  };
}

/** A spec of which only some fields may change. */
function fixedExcept(changeable: readonly string[], why: string): ChangeRule {
  return function* (before, after) {
    if (!deepEqual(without(before["spec"], changeable), without(after["spec"], changeable)))
      yield forbidden("spec", why);
  };
}

const pod: ChangeRule = function* (before, after) {
  const old = before["spec"];
  const current = after["spec"];
  for (const name of ["containers", "initContainers"]) {
    if (listOf(old, name).length === listOf(current, name).length) continue;
    const what = name === "containers" ? "containers" : "init containers";
    yield forbidden(`spec.${name}`, `pod updates may not add or remove ${what}`);
    return;
  }
  yield* deadline(valueAt(old, "activeDeadlineSeconds"), valueAt(current, "activeDeadlineSeconds"));
  const tolerations = listOf(current, "tolerations").map((item) => without(item, ["tolerationSeconds"]));
  for (const toleration of listOf(old, "tolerations")) {
    const kept = without(toleration, ["tolerationSeconds"]);
    if (tolerations.some((item) => deepEqual(item, kept))) continue;
    const why = "existing toleration can not be modified except its tolerationSeconds";
    yield forbidden("spec.tolerations", why);
    return;
  }
  if (deepEqual(comparablePodSpec(old), comparablePodSpec(current))) return;
  yield forbidden(
    "spec",
    "pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds` or `spec.tolerations` (only additions to existing tolerations)",
  );
};

function* deadline(old: unknown, current: unknown): Problems {
  if (typeof old !== "number" || old === current) return;
  if (typeof current !== "number") {
    yield invalid("spec.activeDeadlineSeconds", null, "must not update from a positive integer to nil value");
  } else if (current > old) {
    yield invalid("spec.activeDeadlineSeconds", current, "must be less than or equal to previous value");
  }
}

function comparablePodSpec(spec: unknown): unknown {
  const imageless = (name: string): unknown[] => listOf(spec, name).map((item) => without(item, ["image"]));
  return {
    rest: without(spec, [
      "containers",
      "initContainers",
      "ephemeralContainers",
      "activeDeadlineSeconds",
      "tolerations",
    ]),
    containers: imageless("containers"),
    initContainers: imageless("initContainers"),
  };
}

const service: ChangeRule = function* (before, after) {
  const old = valueAt(before, "spec", "clusterIP");
  const current = valueAt(after, "spec", "clusterIP");
  const isExternal = [before, after].some((object) => valueAt(object, "spec", "type") === "ExternalName");
  if (isExternal || typeof old !== "string" || old === "" || old === current) return;
  const shown = typeof current === "string" ? `[]string{${JSON.stringify(current)}}` : "[]string(nil)";
  const why = typeof current === "string" ? "may not change once set" : "primary clusterIP can not be unset";
  yield invalidShown("spec.clusterIPs[0]", shown, why);
};

const contents: ChangeRule = (before, after) =>
  frozenContents(before, (name) => !deepEqual(before[name], after[name]));

const roleRef: ChangeRule = function* (before, after) {
  const ref = after["roleRef"];
  if (deepEqual(before["roleRef"], ref)) return;
  const show = (name: string): string => JSON.stringify(valueAt(ref, name) ?? "");
  const shown = `rbac.RoleRef{APIGroup:${show("apiGroup")}, Kind:${show("kind")}, Name:${show("name")}}`;
  yield invalidShown("roleRef", shown, "cannot change roleRef");
};

function both(...rules: readonly ChangeRule[]): ChangeRule {
  return function* (before, after) {
    for (const rule of rules) yield* rule(before, after);
  };
}

const rules: ReadonlyMap<string, ChangeRule> = new Map([
  ["io.k8s.api.apps.v1.Deployment", selector],
  ["io.k8s.api.apps.v1.ReplicaSet", selector],
  ["io.k8s.api.apps.v1.DaemonSet", selector],
  [
    "io.k8s.api.apps.v1.StatefulSet",
    fixedExcept(
      [
        "replicas",
        "template",
        "updateStrategy",
        "minReadySeconds",
        "persistentVolumeClaimRetentionPolicy",
        "ordinals",
      ],
      "updates to statefulset spec for fields other than 'replicas', 'template', and 'updateStrategy' are forbidden",
    ),
  ],
  ["io.k8s.api.apps.v1.ControllerRevision", fixed("data")],
  ["io.k8s.api.batch.v1.Job", both(fixed("spec.completions", "spec.template"), selector)],
  ["io.k8s.api.core.v1.Pod", pod],
  ["io.k8s.api.core.v1.Service", service],
  ["io.k8s.api.core.v1.Secret", both(fixed("type"), contents)],
  ["io.k8s.api.core.v1.ConfigMap", contents],
  [
    "io.k8s.api.core.v1.PersistentVolumeClaim",
    fixedExcept(
      ["resources", "volumeName"],
      "spec is immutable after creation except resources.requests for bound claims",
    ),
  ],
  ["io.k8s.api.rbac.v1.RoleBinding", roleRef],
  ["io.k8s.api.rbac.v1.ClusterRoleBinding", roleRef],
  ["io.k8s.api.discovery.v1.EndpointSlice", fixed("addressType")],
  [
    "io.k8s.api.storage.v1.StorageClass",
    fixed("provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"),
  ],
  ["io.k8s.api.scheduling.v1.PriorityClass", fixed("value", "preemptionPolicy")],
]);

/** What a change touches that may not change. */
export function* immutableProblems(
  before: JsonObject,
  after: JsonObject,
  typeName: string,
): Generator<FieldProblem> {
  const rule = rules.get(typeName);
  if (rule !== undefined) yield* rule(before, after);
}

function without(value: unknown, names: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = valueAt(value, name);
  return isList(list) ? list : [];
}
