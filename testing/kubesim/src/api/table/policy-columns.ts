import { readNumber, readPath, readRecord, readString } from "../../store/json-value.ts";
import type { SimObject } from "../../store/sim-api.ts";
import { labelSelectorText } from "../label-selector.ts";
import { ageColumn, nameColumn, type ColumnSpec } from "./table-layout.ts";

export const networkPolicyColumns: readonly ColumnSpec[] = [
  nameColumn,
  [
    "Pod-Selector",
    "string",
    (policy) => labelSelectorText(readRecord(policy, "spec.podSelector") ?? {}) || "<none>",
  ],
  ageColumn,
];

export const ingressClassColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Controller", "string", (each) => readString(each, "spec.controller") ?? ""],
  ["Parameters", "string", (each) => parametersOf(each)],
  ageColumn,
];

export const priorityClassColumns: readonly ColumnSpec[] = [
  nameColumn,
  ["Value", "integer", (each) => readNumber(each, "value") ?? 0],
  ["Global-Default", "boolean", (each) => readPath(each, "globalDefault") === true],
  ageColumn,
];

function parametersOf(ingressClass: SimObject): string {
  const parameters = readRecord(ingressClass, "spec.parameters");
  if (parameters === undefined) return "<none>";
  const group = readString(parameters, "apiGroup");
  const kind = [readString(parameters, "kind"), group].filter(Boolean).join(".");
  return `${kind}/${readString(parameters, "name") ?? ""}`;
}
