import { isRecord } from "@bowline/core";

import type { FieldProblem } from "../../store/status-errors.ts";
import { forbidden, invalid, required } from "../field-problem.ts";
import { valueAt } from "../json-value.ts";
import {
  all,
  atLeast,
  type Check,
  fields,
  invalidShown,
  needed,
  type Rule,
  showLabels,
  text,
} from "./check.ts";
import { labels, labelSelector, selects, showSelector } from "./label-rules.ts";

const apps = "io.k8s.api.apps.v1";

/** A controller must own the pods it creates: its selector has to fit its own template. */
function selectsItsPods(kind: string): Rule {
  return function* (spec, path) {
    const { selector } = spec;
    const podLabels = valueAt(spec, "template", "metadata", "labels");
    if (isRecord(selector) && Object.keys(selector).length === 0) {
      yield invalidShown(`${path}selector`, showSelector(selector), `empty selector is invalid for ${kind}`);
      return;
    }
    if (isRecord(selector) && !labelSelector(selector, "").next().done) {
      yield invalidShown(`${path}selector`, showSelector(selector), "invalid label selector");
      return;
    }
    if (!isRecord(selector) && kind !== "daemonset") yield required(`${path}selector`);
    if (!isRecord(selector) || !selects(selector, podLabels)) {
      const why = "`selector` does not match template `labels`";
      yield invalidShown(`${path}template.metadata.labels`, showLabels(podLabels), why);
    }
  };
}

const restartsAlways: Rule = function* (spec, path) {
  const policy = valueAt(spec, "template", "spec", "restartPolicy");
  if (policy === undefined || policy === "Always") return;
  yield {
    field: `${path}template.spec.restartPolicy`,
    reason: "FieldValueNotSupported",
    message: `Unsupported value: ${JSON.stringify(policy)}: supported values: "Always"`,
  };
};

const endsSometime: Rule = function* (spec, path) {
  const policy = valueAt(spec, "template", "spec", "restartPolicy") ?? "Always";
  if (policy !== "Always") return;
  yield required(`${path}template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"');
};

/** The server checks a template's labels under a path of its own. */
const template: Rule = function* (spec, path) {
  yield* labels(valueAt(spec, "metadata", "labels"), `${path}labels`);
};

const numberOrPercent: Check = function* (value, path) {
  if (typeof value === "number" && value < 0) {
    yield invalid(path, value, "must be greater than or equal to 0");
  } else if (typeof value === "string" && !/^\d+%$/.test(value)) {
    const shown = `intstr.IntOrString{Type:1, IntVal:0, StrVal:${JSON.stringify(value)}}`;
    const why =
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
    yield invalidShown(path, shown, why);
  }
};

const deploymentStrategy: Rule = function* (spec, path) {
  const type = text(valueAt(spec, "strategy", "type"));
  const rollingUpdate = valueAt(spec, "strategy", "rollingUpdate");
  if (type === "Recreate" && rollingUpdate !== undefined) {
    const why = "may not be specified when strategy `type` is 'Recreate'";
    yield forbidden(`${path}strategy.rollingUpdate`, why);
  }
  if (type === "RollingUpdate" && isRecord(rollingUpdate)) {
    yield* numberOrPercent(rollingUpdate["maxUnavailable"], `${path}strategy.rollingUpdate.maxUnavailable`);
    yield* numberOrPercent(rollingUpdate["maxSurge"], `${path}strategy.rollingUpdate.maxSurge`);
    if (isNone(rollingUpdate["maxSurge"]) && isNone(rollingUpdate["maxUnavailable"])) {
      const shown = 'intstr.IntOrString{Type:0, IntVal:0, StrVal:""}';
      yield invalidShown(
        `${path}strategy.rollingUpdate.maxUnavailable`,
        shown,
        "may not be 0 when `maxSurge` is 0",
      );
    }
  }
  const shown = `apps.DeploymentStrategy{Type:"${type}", RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}`;
  yield* oneOf(type, ["Recreate", "RollingUpdate"], { field: `${path}strategy`, shown });
};

const daemonSetStrategy: Rule = function* (spec, path) {
  const type = text(valueAt(spec, "updateStrategy", "type"));
  const shown = `apps.DaemonSetUpdateStrategy{Type:"${type}", RollingUpdate:(*apps.RollingUpdateDaemonSet)(nil)}`;
  yield* oneOf(type, ["RollingUpdate", "OnDelete"], { field: `${path}updateStrategy`, shown });
};

const statefulSetStrategy: Rule = function* (spec, path) {
  const type = text(valueAt(spec, "updateStrategy", "type"));
  const policy = text(spec["podManagementPolicy"]);
  if (!["", "OrderedReady", "Parallel"].includes(policy)) {
    yield invalid(`${path}podManagementPolicy`, policy, "must be 'OrderedReady' or 'Parallel'");
  }
  if (["", "RollingUpdate", "OnDelete"].includes(type)) return;
  const shown = `apps.StatefulSetUpdateStrategy{Type:"${type}", RollingUpdate:(*apps.RollingUpdateStatefulSetStrategy)(nil)}`;
  yield invalidShown(`${path}updateStrategy`, shown, "must be 'RollingUpdate' or 'OnDelete'");
};

/** Five fields of numbers, names, ranges, lists and steps; or one of the shorthands. */
const cronSchedule: Check = function* (value, path) {
  if (typeof value !== "string" || value === "" || value.startsWith("@")) return;
  const parts = value
    .trim()
    .split(/\s+/)
    .filter((part) => !/^(TZ|CRON_TZ)=/.test(part));
  if (parts.length !== 5) {
    yield invalid(path, value, `Expected exactly 5 fields, found ${parts.length}: ${value}`);
    return;
  }
  const wrong = parts.find((part) => !/^[\dA-Za-z*?,/#-]+$/.test(part));
  if (wrong !== undefined) yield invalid(path, value, `Failed to parse int from ${wrong}: invalid syntax`);
};

const replicaCounts = fields({
  replicas: [atLeast(0)],
  minReadySeconds: [atLeast(0)],
  revisionHistoryLimit: [atLeast(0)],
});

export const workloadRules: ReadonlyMap<string, Rule> = new Map([
  [
    `${apps}.DeploymentSpec`,
    all(replicaCounts, selectsItsPods("deployment"), restartsAlways, deploymentStrategy),
  ],
  [`${apps}.ReplicaSetSpec`, all(replicaCounts, selectsItsPods("replicaset"), restartsAlways)],
  [
    `${apps}.StatefulSetSpec`,
    all(replicaCounts, selectsItsPods("statefulset"), restartsAlways, statefulSetStrategy),
  ],
  [
    `${apps}.DaemonSetSpec`,
    all(replicaCounts, selectsItsPods("daemonset"), restartsAlways, daemonSetStrategy),
  ],
  [
    "io.k8s.api.core.v1.ReplicationControllerSpec",
    all(fields({ selector: [needed()], template: [needed()], replicas: [atLeast(0)] }), restartsAlways),
  ],
  ["io.k8s.api.core.v1.PodTemplateSpec", template],
  [
    "io.k8s.api.batch.v1.JobSpec",
    all(
      fields({
        parallelism: [atLeast(0)],
        completions: [atLeast(0)],
        activeDeadlineSeconds: [atLeast(0)],
        backoffLimit: [atLeast(0)],
        ttlSecondsAfterFinished: [atLeast(0)],
      }),
      endsSometime,
    ),
  ],
  ["io.k8s.api.batch.v1.CronJobSpec", fields({ schedule: [needed(), cronSchedule] })],
]);

function isNone(value: unknown): boolean {
  return value === 0 || value === "0%";
}

function* oneOf(
  value: string,
  values: readonly string[],
  { field, shown }: { readonly field: string; readonly shown: string },
): Generator<FieldProblem> {
  if (value === "" || values.includes(value)) return;
  const listed = values.map((item) => JSON.stringify(item)).join(", ");
  const message = `Unsupported value: ${shown}: supported values: ${listed}`;
  yield { field, reason: "FieldValueNotSupported", message };
}
