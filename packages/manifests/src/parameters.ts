import { didYouMean } from "@bowline/core";

import type { JsonValue } from "./json.ts";

/** What a parameter can be. Instances write all of them as text; a value that is one reference becomes this type. */
export const parameterTypes = ["string", "integer", "number", "boolean"] as const;

export type ParameterType = (typeof parameterTypes)[number];

const integer = /^(?:0|-?[1-9][0-9]*)$/;
const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

/**
 * The value that a text stands for; undefined for a text that is not of this type. Stricter than YAML: there is one way
 * to write each integer and boolean, so that it reads the same inside of a longer text.
 */
export function parameterValue(type: ParameterType, text: string): string | number | boolean | undefined {
  switch (type) {
    case "string":
      return text;
    case "integer":
      return integer.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
    case "number":
      return number.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "boolean":
    default:
      return text === "true" || text === "false" ? text === "true" : undefined;
  }
}

const expectations: Readonly<Record<ParameterType, string>> = {
  string: "text",
  integer: "a whole number such as 3",
  number: "a number such as 0.5",
  boolean: "true or false",
};

/** What is wrong with a text for a parameter of this type, as a fragment: "must be a whole number such as 3". */
export function parameterProblem(type: ParameterType, text: string): string | undefined {
  return parameterValue(type, text) === undefined ? `must be ${expectations[type]}` : undefined;
}

/** A parameter as a definition declares it. */
export interface DeclaredParameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly default?: string | undefined;
  readonly required: boolean;
}

/** The declaration without whatever else is in the object, such as a description. */
export function readParameter(
  declared: DeclaredParameter,
): DeclaredParameter & { readonly [key: string]: JsonValue } {
  const { name, type, required } = declared;
  return { name, type, required, ...(declared.default === undefined ? {} : { default: declared.default }) };
}

/** A value for a parameter, still as text. */
export interface GivenParameter {
  readonly type: ParameterType;
  readonly text: string;
}

export interface ChosenParameters {
  /** Of the instance, or the default; those that have neither are not in it. */
  readonly values: ReadonlyMap<string, GivenParameter>;
  /** Sentences for people, one for each parameter that something is wrong with. */
  readonly problems: readonly string[];
}

/** The values that an instance chooses for the parameters of a definition, or leaves at their defaults. */
export function chooseParameters(
  declared: readonly DeclaredParameter[],
  given: Readonly<Record<string, string>>,
): ChosenParameters {
  const names = declared.map(({ name }) => name);
  const values = new Map<string, GivenParameter>();
  const problems = Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => `The parameter ${name} is not declared${didYouMean(name, names) || "."}`);
  for (const { name, type, default: fallback, required } of declared) {
    const text = Object.hasOwn(given, name) ? given[name] : fallback;
    const problem = text === undefined ? undefined : parameterProblem(type, text);
    if (problem !== undefined) problems.push(`The parameter ${name} ${problem}.`);
    else if (text !== undefined) values.set(name, { type, text });
    else if (required) problems.push(`The parameter ${name} has to be given a value.`);
  }
  return { values, problems };
}
