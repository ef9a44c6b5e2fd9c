import { parseFieldPath, valuesAt, type FieldPath, type PathStep } from "@bowline/api";

/**
 * The spec without an object's name in the list a reference points into, or undefined if that would leave the list
 * empty, or if there is no list to take it out of.
 */
export function withoutReference(spec: object, field: string, name: string): object | undefined {
  const { text, steps } = parseFieldPath(field);
  const each = steps.findIndex((step) => step.step === "each");
  if (each < 0) return undefined;
  const rest: FieldPath = { text, steps: steps.slice(each + 1) };
  const keep = (item: unknown): boolean => !valuesAt(rest, item).includes(name);
  // The first step goes into the spec itself.
  return filterAt(spec, steps.slice(1, each), keep);
}

function filterAt(
  value: object,
  [step, ...rest]: readonly PathStep[],
  keep: (item: unknown) => boolean,
): object | undefined {
  if (step?.step !== "property") return undefined;
  const inner: unknown = Reflect.get(value, step.name);
  if (rest.length > 0) {
    if (typeof inner !== "object" || inner === null) return value;
    const replaced = filterAt(inner, rest, keep);
    return replaced === undefined ? undefined : { ...value, [step.name]: replaced };
  }
  if (!Array.isArray(inner)) return value;
  const left = inner.filter(keep);
  return left.length === 0 ? undefined : { ...value, [step.name]: left };
}
