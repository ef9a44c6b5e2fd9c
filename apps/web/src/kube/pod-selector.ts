import { arrayOf, recordOf, textOf, type KubeObject } from "@bowline/kube/shapes";

import { podSpecOf } from "./pod-spec.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The pods that an object makes, as a label selector for lists; undefined for a pod, and for what makes none or says not which. */
export function podSelector(object: KubeObject): string | undefined {
  if (podSpecOf(object) === undefined || object.kind === "Pod") return undefined;
  const selector = recordOf(recordOf(object["spec"])?.["selector"]);
  if (selector === undefined) return undefined;
  // A ReplicationController has labels alone, everything newer says which of two ways it takes.
  const isOld = selector["matchLabels"] === undefined && selector["matchExpressions"] === undefined;
  const labels = isOld ? selector : (recordOf(selector["matchLabels"]) ?? {});
  const terms = [
    ...Object.entries(labels).map(([key, value]) => `${key}=${textOf(value) ?? ""}`),
    ...arrayOf(selector["matchExpressions"]).map((value) => expressionText(recordOf(value) ?? {})),
  ];
  return terms.length === 0 ? undefined : terms.join(",");
}

function expressionText({ key, operator, values }: Fields): string {
  const name = textOf(key) ?? "";
  if (operator === "Exists") return name;
  if (operator === "DoesNotExist") return `!${name}`;
  const listed = arrayOf(values).map((value) => textOf(value) ?? "");
  return `${name} ${operator === "NotIn" ? "notin" : "in"} (${listed.join(",")})`;
}
