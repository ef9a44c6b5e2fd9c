import { isLabelName } from "../check/label-name.ts";
import type { Field } from "../field/field.ts";
import { sanitize } from "./rules.ts";
import type { Scope } from "./scope.ts";

/** Labels of Kubernetes that targets get. One that cannot be the name of a label of Prometheus is a problem. */
export function readTargetLabels(field: Field, scope: Scope): string[] {
  return field.list().flatMap((item) => {
    const label = item.text();
    if (label === undefined || isLabelName(sanitize(label), scope)) return label ?? [];
    item.reject(`${item.path} cannot be the name of a label.`, "Name a label that begins with a letter.");
    return [];
  });
}
