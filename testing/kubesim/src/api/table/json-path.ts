import { isRecord } from "@bowline/core";

type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "all" }
  | { readonly kind: "equal"; readonly field: string; readonly value: string };

const stepPattern =
  /\.((?:[^.[\]\\]|\\.)+)|\['([^']+)'\]|\[(-?\d+)\]|\[\*\]|\[\?\(@\.([\w.-]+)\s*==\s*['"]([^'"]*)['"]\)\]/gy;

/** Reads the subset of JSONPath that printer columns use: fields, indexes, `[*]` and `[?(@.type=="Ready")]`. */
export function compileJsonPath(text: string): (value: unknown) => unknown[] {
  const steps = parse(text);
  return (value) =>
    steps.reduce<unknown[]>((found, step) => found.flatMap((each) => take(each, step)), [value]);
}

function parse(text: string): Step[] {
  const source = text.startsWith(".") || text.startsWith("[") ? text : `.${text}`;
  const steps: Step[] = [];
  stepPattern.lastIndex = 0;
  while (stepPattern.lastIndex < source.length) {
    const match = stepPattern.exec(source);
    if (!match) return [];
    const [whole, dotted, quoted, index, field, value] = match;
    const name = dotted?.replaceAll(/\\(.)/g, "$1") ?? quoted;
    if (name !== undefined) steps.push({ kind: "field", name });
    else if (index !== undefined) steps.push({ kind: "index", index: Number(index) });
    else if (field !== undefined) steps.push({ kind: "equal", field, value: value ?? "" });
    else if (whole === "[*]") steps.push({ kind: "all" });
  }
  return steps;
}

function take(value: unknown, step: Step): unknown[] {
  if (step.kind === "field") return present(isRecord(value) ? value[step.name] : undefined);
  if (!Array.isArray(value)) return [];
  if (step.kind === "all") return value;
  if (step.kind === "index") return present(value.at(step.index));
  return value.filter((item) => isRecord(item) && item[step.field] === step.value);
}

function present(value: unknown): unknown[] {
  return value === undefined ? [] : [value];
}
