/** The relabel rules that are generated. Their order in a job is part of the contract with users' own rules. */
import type { ConfigMap } from "../model/config-value.ts";
import type { SelectorTerm } from "../select/label-selector.ts";

/** Users' rules may look at the name that the job had in the configuration. */
export const keepJobName: ConfigMap = { source_labels: ["job"], target_label: "__tmp_prometheus_job_name" };

export const dropFinishedPods: ConfigMap = {
  action: "drop",
  source_labels: ["__meta_kubernetes_pod_phase"],
  regex: "(Failed|Succeeded)",
};

/** Label names allow fewer characters than Kubernetes does. */
export function sanitize(label: string): string {
  return label.replaceAll(/[^a-zA-Z0-9_]/gu, "_");
}

export function copy(source: string, target: string): ConfigMap {
  return { source_labels: [source], target_label: target };
}

export function set(target: string, value: string): ConfigMap {
  return { target_label: target, replacement: value };
}

export function keep(source: string, regex: string): ConfigMap {
  return { action: "keep", source_labels: [source], regex: readableRegex(regex) };
}

/** Prometheus takes these words for no regular expression at all, quoted or not; in a group they are one. */
export function readableRegex(regex: string): string {
  return /^(?:null|Null|NULL|~)$/u.test(regex) ? `(?:${regex})` : regex;
}

/** Copies a Kubernetes label to the target, if the object has it. */
export function copyLabel(kind: SelectedKind, label: string, target: string = sanitize(label)): ConfigMap {
  return {
    source_labels: [`__meta_kubernetes_${kind}_label_${sanitize(label)}`],
    target_label: target,
    regex: "(.+)",
    replacement: "${1}",
  };
}

export type SelectedKind = "service" | "pod" | "ingress";

/** A label selector as rules: what does not match is no target. */
export function selectorRules(kind: SelectedKind, terms: readonly SelectorTerm[]): ConfigMap[] {
  return terms.map((term) => {
    const key = sanitize(term.key);
    const present = `__meta_kubernetes_${kind}_labelpresent_${key}`;
    const action = term.operator === "in" || term.operator === "exists" ? "keep" : "drop";
    if (term.operator === "exists" || term.operator === "absent") {
      return { action, source_labels: [present], regex: "true" };
    }
    const regex = `(${term.values.join("|")});true`;
    return { action, source_labels: [`__meta_kubernetes_${kind}_label_${key}`, present], regex };
  });
}
