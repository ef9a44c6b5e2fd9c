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
