import { isRecord } from "@bowline/core";

import type { FieldProblem } from "../store/status-errors.ts";
import { validateCrd, validateCrdUpdate } from "./crd-definition.ts";
import { unsupported } from "./field-problem.ts";
import { isList, type JsonObject } from "./json-value.ts";
import type { Rule } from "./rules/check.ts";
import { configRules } from "./rules/config-rules.ts";
import { immutableProblems } from "./rules/immutable-rules.ts";
import { labelSelector } from "./rules/label-rules.ts";
import { networkRules } from "./rules/network-rules.ts";
import { podRules } from "./rules/pod-rules.ts";
import { policyRules } from "./rules/policy-rules.ts";
import { workloadRules } from "./rules/workload-rules.ts";
import type { FieldNode, ObjectNode, SchemaNode } from "./schema-node.ts";

/** The rules of every type, by its name. The schema's own enums come on top. */
const rules: ReadonlyMap<string, Rule> = new Map([
  ...podRules,
  ...workloadRules,
  ...configRules,
  ...networkRules,
  ...policyRules,
  ["io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector", labelSelector],
]);

/** What is wrong with a new built-in object that has its defaults. Metadata is the store's to check. */
export function validateCreate(object: JsonObject, schema: ObjectNode): FieldProblem[] {
  return isCrd(schema) ? validateCrd(object) : validateAll(object, schema);
}

/** What is wrong with a change of a built-in object: what may not change, and everything that a new one is asked. */
export function validateUpdate(before: JsonObject, after: JsonObject, schema: ObjectNode): FieldProblem[] {
  if (isCrd(schema)) return validateCrdUpdate(before, after);
  return [...immutableProblems(before, after, schema.name ?? ""), ...validateAll(after, schema)];
}

function validateAll(object: JsonObject, schema: ObjectNode): FieldProblem[] {
  const problems = [...validateFields(object, schema, "")];
  if (schema.name !== "io.k8s.api.apps.v1.StatefulSet") return problems;
  // The server leaves its pods to be checked when they are made: they mount claims, which are not in the template.
  return problems.filter(({ field }) => !/^spec\.template\.spec\.(?!restartPolicy$)/u.test(field));
}

function* validateFields(object: JsonObject, schema: ObjectNode, path: string): Generator<FieldProblem> {
  const rule = schema.name === undefined ? undefined : rules.get(schema.name);
  if (rule !== undefined) yield* rule(object, path);
  for (const [name, value] of Object.entries(object)) {
    const known = schema.fields.get(name);
    const isUnchecked = name === "metadata" || (path === "" && name === "status");
    if (known !== undefined && !isUnchecked) yield* validateValue(value, known, `${path}${name}`);
  }
  yield* validateRequiredEnums(object, schema, path);
}

function* validateValue(value: unknown, { node }: FieldNode, path: string): Generator<FieldProblem> {
  if (node.kind === "object" && isRecord(value)) yield* validateFields(value, node, `${path}.`);
  if (node.kind === "list" && isList(value)) {
    for (const [index, item] of value.entries()) {
      yield* validateValue(
        item,
        { node: node.items },
        isEnum(node.items) ? itemPath(path, index) : `${path}[${index}]`,
      );
    }
  }
  if (isEnum(node) && typeof value === "string" && value !== "" && !node.values.includes(value)) {
    yield unsupported(path, value, node.values);
  }
}

/** A choice that has to be made and was not is an unsupported choice. */
function* validateRequiredEnums(
  object: JsonObject,
  schema: ObjectNode,
  path: string,
): Generator<FieldProblem> {
  for (const [name, { node, required }] of schema.fields) {
    const value = object[name];
    if (required === true && isEnum(node) && (value === undefined || value === "")) {
      yield unsupported(`${path}${name}`, "", node.values);
    }
  }
}

/** Access modes are reported for the list as a whole, everything else item by item. */
function itemPath(path: string, index: number): string {
  return path.endsWith("accessModes") ? path : `${path}[${index}]`;
}

function isEnum(
  node: SchemaNode,
): node is Extract<SchemaNode, { kind: "scalar" }> & { values: readonly string[] } {
  return node.kind === "scalar" && node.values !== undefined;
}

function isCrd(schema: ObjectNode): boolean {
  return schema.name?.endsWith(".CustomResourceDefinition") === true;
}
