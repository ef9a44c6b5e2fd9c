import type { Kind } from "./kind.ts";

/** The values of a spec's secret fields, by path. */
export type Secrets = Readonly<Record<string, unknown>>;

export interface SplitSpec<Spec> {
  /** Without the secret fields: fit to be stored in the clear, compared, logged and returned. */
  readonly spec: Spec;
  /** Values that were set; a path that is missing was not, which in an update means that it stays as it is. */
  readonly secrets: Secrets;
}

/** Takes the secret fields out of a spec. */
export function splitSecrets<Spec extends object>(kind: Kind, spec: Spec): SplitSpec<Spec> {
  const secrets: Record<string, unknown> = {};
  let open = spec;
  for (const path of kind.secretFields) {
    const names = namesOf(path);
    const value = getAt(open, names);
    if (value === undefined) continue;
    secrets[path] = value;
    open = setAt(open, names, undefined);
  }
  return { spec: open, secrets };
}

/** The spec with its secret fields again, for the code that uses them. */
export function joinSecrets<Spec extends object>(kind: Kind, spec: Spec, secrets: Secrets): Spec {
  return kind.secretFields.reduce(
    (joined, path) => (secrets[path] === undefined ? joined : setAt(joined, namesOf(path), secrets[path])),
    spec,
  );
}

function namesOf(path: string): readonly string[] {
  return path.split(".").slice(1);
}

function getAt(value: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (current, name) =>
      typeof current === "object" && current !== null ? Reflect.get(current, name) : undefined,
    value,
  );
}

/** A copy with one field replaced, or taken out. Where the way there is missing, there is nothing to replace. */
function setAt<Value extends object>(value: Value, names: readonly string[], replacement: unknown): Value {
  const [name, ...rest] = names;
  if (name === undefined) return value;
  const { [name]: before, ...others } = value as Record<string, unknown>;
  const after =
    rest.length > 0 && typeof before === "object" && before !== null
      ? setAt(before, rest, replacement)
      : replacement;
  return (after === undefined ? others : { ...others, [name]: after }) as Value;
}
