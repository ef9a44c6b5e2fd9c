import type { Failure } from "../live/failure.ts";

/** What the server has found wrong, each at the field of a form that it is about. */
export interface FormProblems<Field extends string> {
  readonly at: ReadonlyMap<Field, string>;
  /** The refusal, where it is about something that the form has no field for. */
  readonly failure: Failure | undefined;
}

/** The path of a field in what is written, and the field of the form that it comes from. */
export type FieldPaths<Field extends string> = readonly (readonly [path: string, field: Field])[];

/** A problem belongs to the field with the longest path that it begins with: `spec.exec.args[1]` to `spec.exec.args`. */
export function formProblems<Field extends string>(
  failure: Failure | undefined,
  paths: FieldPaths<Field>,
): FormProblems<Field> {
  const at = new Map<Field, string>();
  const others: NonNullable<Failure["fields"]>[number][] = [];
  for (const problem of failure?.fields ?? []) {
    const field = fieldAt(problem.path, paths);
    if (field === undefined) others.push(problem);
    else at.set(field, [at.get(field), `It ${problem.message}.`].filter(Boolean).join(" "));
  }
  if (failure === undefined || (at.size > 0 && others.length === 0)) return { at, failure: undefined };
  return { at, failure: { ...failure, fields: others } };
}

function fieldAt<Field extends string>(path: string, paths: FieldPaths<Field>): Field | undefined {
  return paths
    .filter(([prefix]) => path === prefix || path.startsWith(`${prefix}.`) || path.startsWith(`${prefix}[`))
    .toSorted(([a], [b]) => b.length - a.length)
    .at(0)?.[1];
}
