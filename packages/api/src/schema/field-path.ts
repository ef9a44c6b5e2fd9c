import type { JsonSchema } from "./json-schema.ts";

/**
 * - `property`: into the field of this name
 * - `each`: into every item of a list
 * - `where`: into the item of a list that has this value under this key
 */
export type PathStep =
  | { readonly step: "property"; readonly name: string }
  | { readonly step: "each" }
  | { readonly step: "where"; readonly key: string; readonly value: string };

export interface FieldPath {
  /** As people write it, without the `[]` of lists. */
  readonly text: string;
  readonly steps: readonly PathStep[];
}

/**
 * Where a field is. `spec.provider`; `spec.subjects[].user` for the field of every item;
 * `status.conditions.Ready` for the status of a condition, and `status.conditions.Ready.reason` for another field of it.
 */
export function parseFieldPath(text: string): FieldPath {
  const steps: PathStep[] = [];
  const parts = text.split(".");
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? "";
    const name = part.endsWith("[]") ? part.slice(0, -2) : part;
    steps.push({ step: "property", name });
    if (name !== part) steps.push({ step: "each" });
    const type = parts[index + 1];
    if (name !== "conditions" || name !== part || type === undefined) continue;
    steps.push({ step: "where", key: "type", value: type });
    steps.push({ step: "property", name: parts[index + 2] ?? "status" });
    index += 2;
  }
  return { text: text.replaceAll("[]", ""), steps };
}

/** Every value at a path; none if something on the way is missing. */
export function valuesAt(path: FieldPath, value: unknown): unknown[] {
  let found: unknown[] = [value];
  for (const step of path.steps) {
    // In loops, because every write looks at dozens of paths.
    const next: unknown[] = [];
    for (const item of found) {
      if (step.step === "property") addPresent(next, propertyOf(item, step.name));
      else if (Array.isArray(item)) addItems(next, step, item);
    }
    found = next;
  }
  return found;
}

function addItems(
  found: unknown[],
  step: Exclude<PathStep, { readonly step: "property" }>,
  items: readonly unknown[],
): void {
  for (const item of items) {
    if (step.step === "each" || propertyOf(item, step.key) === step.value) addPresent(found, item);
  }
}

function addPresent(found: unknown[], value: unknown): void {
  if (value !== undefined && value !== null) found.push(value);
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** The schema of the field, or undefined if there is no such field. */
export function schemaAt(path: FieldPath, schema: JsonSchema): JsonSchema | undefined {
  let current: JsonSchema | undefined = schema;
  for (const step of path.steps) {
    current = step.step === "property" ? propertySchema(current, step.name) : current?.items;
  }
  return current;
}

function propertySchema(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  const { properties, additionalProperties } = schema ?? {};
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** The same in the JSONPath that Kubernetes takes for printer columns. */
export function jsonPathOf(path: FieldPath): string {
  return path.steps
    .map((step) => {
      if (step.step === "property") return `.${step.name}`;
      return step.step === "each" ? "[*]" : `[?(@.${step.key}=="${step.value}")]`;
    })
    .join("");
}
