import { textOf, type ConfigMap } from "../model/config-value.ts";
import type { Labels } from "./discovered-targets.ts";

/** The target as Prometheus scrapes it after the rules of a job; undefined for one that they drop. */
export function relabel(target: Labels, rules: readonly ConfigMap[]): Labels | undefined {
  let labels: Labels | undefined = target;
  for (const rule of rules) labels = labels === undefined ? undefined : applied(labels, rule);
  if (labels === undefined) return undefined;
  const kept = Object.entries(labels).filter(
    ([name, value]) => value !== "" && (!name.startsWith("__") || /^__(?:address|param|scheme)/u.test(name)),
  );
  return { instance: labels["__address__"] ?? "", ...Object.fromEntries(kept) };
}

function applied(labels: Labels, rule: ConfigMap): Labels | undefined {
  const sources = Array.isArray(rule["source_labels"]) ? rule["source_labels"] : [];
  const separator = rule["separator"] === undefined ? ";" : textOf(rule["separator"]);
  const value = sources.map((name) => labels[textOf(name)] ?? "").join(separator);
  // The only shard there is.
  const pattern = rule["regex"] === undefined ? "(.*)" : textOf(rule["regex"]).replace("$(SHARD)", "0");
  const match = new RegExp(`^(?:${pattern})$`, "su").exec(value);
  const target = textOf(rule["target_label"]);
  switch (textOf(rule["action"]) || "replace") {
    case "keep":
      return match === null ? undefined : labels;
    case "drop":
      return match === null ? labels : undefined;
    case "hashmod":
      return { ...labels, [target]: "0" };
    case "replace": {
      if (match === null) return labels;
      const replacement = rule["replacement"] === undefined ? "$1" : textOf(rule["replacement"]);
      return {
        ...labels,
        [target]: replacement.replaceAll(/\$\{?(\d)\}?/gu, (_, group) => match[Number(group)] ?? ""),
      };
    }
    default:
      throw new Error(`There is no such rule here: ${JSON.stringify(rule)}`);
  }
}
