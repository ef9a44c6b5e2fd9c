import type { Field } from "../model/field.ts";
import type { Scope } from "./scope.ts";

const legacyName = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/** Whether the collector takes a text as the name of a label: since version 3 it takes any. */
export function isLabelName(name: string, scope: Scope): boolean {
  return scope.isAtLeast("3.0") ? name !== "" : legacyName.test(name);
}

/** The name that a field gives to a label, which may be empty; the usual one where it gives none that is valid. */
export function readLabelName(field: Field, scope: Scope, usual: string): string {
  const name = field.text() ?? usual;
  if (name === "" || isLabelName(name, scope)) return name;
  field.reject(`${field.path} is no name of a label.`, "Use letters, digits and underscores only.");
  return usual;
}

/** Labels with their values, without those that would make Prometheus refuse the whole configuration. */
export function readLabels(field: Field, scope: Scope): Record<string, string> {
  const labels = Object.entries(field.textMap());
  for (const [name] of labels) {
    if (!isLabelName(name, scope)) {
      field
        .get(name)
        .reject(
          `${field.path} has «${name}», which is no name of a label.`,
          "Use letters, digits and underscores only.",
        );
    }
  }
  return Object.fromEntries(labels.filter(([name]) => isLabelName(name, scope)));
}

/** Labels of Kubernetes that targets get. One that cannot be the name of a label of Prometheus is a problem. */
export function readTargetLabels(field: Field, scope: Scope): string[] {
  return field.list().flatMap((item) => {
    const label = item.text();
    if (label === undefined || isLabelName(sanitize(label), scope)) return label ?? [];
    item.reject(`${item.path} cannot be the name of a label.`, "Name a label that begins with a letter.");
    return [];
  });
}

/** Label names allow fewer characters than Kubernetes does. */
export function sanitize(label: string): string {
  return label.replaceAll(/[^a-zA-Z0-9_]/gu, "_");
}
