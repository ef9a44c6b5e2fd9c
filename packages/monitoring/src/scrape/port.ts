import { re2Problem } from "../check/re2-problem.ts";
import type { Field } from "../field/field.ts";

/** The name of a port, which becomes a regular expression; names that Kubernetes accepts are always one. */
export function readPortName(field: Field): string | undefined {
  const name = field.word();
  const problem = name === undefined ? undefined : re2Problem(name);
  if (problem !== undefined) {
    field.reject(`${field.path} is no name of a port: ${problem}.`, "Give the name that the port has.");
  }
  return name;
}
