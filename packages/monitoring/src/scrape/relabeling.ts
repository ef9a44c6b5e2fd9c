import { isLabelName } from "../check/label-name.ts";
import { re2Problem } from "../check/regex.ts";
import type { Scope } from "../check/scope.ts";
import { isAtLeast, type Minimum } from "../model/collector-version.ts";
import { nonEmptyList, type ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";
import { readableRegex } from "./rules.ts";

/** The actions of relabel rules, with the version that brought the younger ones. */
const actions: Readonly<Record<string, Minimum>> = {
  replace: "0.0",
  keep: "0.0",
  drop: "0.0",
  hashmod: "0.0",
  labelmap: "0.0",
  labeldrop: "0.0",
  labelkeep: "0.0",
  lowercase: "2.36",
  uppercase: "2.36",
  keepequal: "2.41",
  dropequal: "2.41",
};

const needTarget = new Set(["replace", "hashmod", "lowercase", "uppercase", "keepequal", "dropequal"]);

/** Before version 3 a label was named by letters, digits and references to groups. */
const legacyTarget = /^(?:[A-Za-z_]|\$(?:\{\w+\}|\w+))(?:\w|\$(?:\{\w+\}|\w+))*$/u;

/** The relabel rules that a user wrote. A rule that Prometheus would refuse is a problem of the object that has it. */
export function relabelConfigs(field: Field, scope: Scope): ConfigMap[] {
  return field.list().map((rule) => relabelConfig(rule, scope));
}

function relabelConfig(rule: Field, scope: Scope): ConfigMap {
  const action = rule.get("action").word()?.toLowerCase();
  checkAction(rule, action ?? "replace", scope);
  const regex = rule.get("regex").word();
  const problem = regex === undefined ? undefined : re2Problem(regex);
  if (problem !== undefined) {
    rule
      .get("regex")
      .reject(
        `${rule.path}.regex does not compile: ${problem}.`,
        "Correct the regular expression (RE2 syntax).",
      );
  }
  for (const label of rule.get("sourceLabels").list()) {
    if (!isLabelName(label.text() ?? "_", scope)) {
      label.reject(`${label.path} is no name of a label.`, "Use letters, digits and underscores only.");
    }
  }
  const modulus = rule.get("modulus").count();
  return {
    source_labels: nonEmptyList(rule.get("sourceLabels").texts()),
    separator: rule.get("separator").text(),
    target_label: rule.get("targetLabel").word(),
    regex: regex === undefined ? undefined : readableRegex(regex),
    modulus: modulus === 0 ? undefined : modulus,
    replacement: rule.get("replacement").text(),
    action,
  };
}

function checkAction(rule: Field, action: string, scope: Scope): void {
  const field = rule.get("action");
  const minimum = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (minimum === undefined) {
    field.reject(
      `${field.path} is no action of relabeling.`,
      `Use one of ${Object.keys(actions).join(", ")}.`,
    );
  } else if (!isAtLeast(scope.options.version, minimum)) {
    field.reject(
      `${field.path} is ${action}, which Prometheus ${scope.options.version.text} does not know.`,
      `Use Prometheus ${minimum} or newer, or another action.`,
    );
  } else {
    checkTarget(rule, action, scope);
    checkOtherFields(rule, action);
  }
}

function checkTarget(rule: Field, action: string, scope: Scope): void {
  const field = rule.get(action === "labelmap" ? "replacement" : "targetLabel");
  const target = field.word();
  // A replacement that is not given has a default; an empty one is no name.
  if (!needTarget.has(action) && (action !== "labelmap" || field.value === undefined)) return;
  if (target === undefined) {
    field.reject(
      `${field.path} is missing, and the action ${action} needs it.`,
      "Name the label to write to.",
    );
  } else if (!isTarget(target, action, scope)) {
    field.reject(`${field.path} is no name of a label.`, "Use letters, digits and underscores only.");
  }
}

/** Where a rule may use groups of its regex, the name may have references to them. */
function isTarget(target: string, action: string, scope: Scope): boolean {
  const mayRefer = action === "replace" || action === "labelmap";
  return mayRefer && !scope.isAtLeast("3.0") ? legacyTarget.test(target) : isLabelName(target, scope);
}

function checkOtherFields(rule: Field, action: string): void {
  if (action === "hashmod" && (rule.get("modulus").count() ?? 0) === 0) {
    rule
      .get("modulus")
      .reject(`${rule.path}.modulus is missing, and hashmod needs it.`, "Give a modulus above 0.");
  }
  const unwanted: string[] = [];
  if (action === "labeldrop" || action === "labelkeep") {
    unwanted.push("sourceLabels", "targetLabel", "modulus", "separator", "replacement");
  }
  if (action === "keepequal" || action === "dropequal")
    unwanted.push("regex", "modulus", "separator", "replacement");
  if (action === "lowercase" || action === "uppercase") unwanted.push("replacement");
  for (const name of unwanted) {
    const field = rule.get(name);
    if (isSet(field, defaults[name]))
      field.reject(
        `${field.path} has no meaning with the action ${action}, which Prometheus refuses.`,
        `Remove ${name}.`,
      );
  }
}

/** Values that Prometheus cannot tell from a field that is not there. */
const defaults: Readonly<Record<string, string>> = { regex: "(.*)", separator: ";", replacement: "$1" };

/** Of some fields, "" is left out; of those with a default, it is another value. */
function isSet({ value }: Field, usual: string | undefined): boolean {
  if (value === undefined || value === usual || value === 0) return false;
  if (value === "") return usual !== undefined && usual !== defaults["regex"];
  return !(Array.isArray(value) && value.length === 0);
}
