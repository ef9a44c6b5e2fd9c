import { didYouMean } from "@bowline/core";

import type { JsonSchema } from "../schema/json-schema.ts";
import { stringReader } from "./read-string.ts";
import { wrongType, type Reader } from "./reader.ts";

export function booleanReader(): Reader {
  return (value, report) => {
    if (typeof value !== "boolean") report.add(wrongType("true or false", value));
    return value;
  };
}

export function numberReader(schema: JsonSchema): Reader {
  const whole = schema.type === "integer";
  const expected = whole ? "a whole number" : "a number";
  const check = rangeCheck(schema);
  return (value, report) => {
    if (typeof value !== "number") {
      report.add(wrongType(expected, value));
      return undefined;
    }
    if (whole ? !Number.isSafeInteger(value) : !Number.isFinite(value)) report.add(`must be ${expected}`);
    else {
      const problem = check(value);
      if (problem !== undefined) report.add(problem);
    }
    // JSON has one zero: minus zero would not survive being stored.
    return value + 0;
  };
}

function rangeCheck(schema: JsonSchema): (value: number) => string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  return (value) => {
    if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
    if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      return `must be more than ${exclusiveMinimum}`;
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
      return `must be less than ${exclusiveMaximum}`;
    return undefined;
  };
}

export function choiceReader(choices: readonly (string | number | boolean)[]): Reader {
  const allowed: ReadonlySet<unknown> = new Set(choices);
  const names = choices.map(String);
  const expected = names.length === 1 ? `must be ${names[0]}` : `must be one of ${names.join(", ")}`;
  return (value, report) => {
    if (!allowed.has(value)) {
      report.add(expected + (typeof value === "string" ? didYouMean(value, names) : ""));
    }
    return value;
  };
}

export function intOrStringReader(schema: JsonSchema): Reader {
  const asNumber = numberReader({ ...schema, type: "integer" });
  const asString = stringReader(schema);
  return (value, report) => {
    if (typeof value === "number") return asNumber(value, report);
    if (typeof value === "string") return asString(value, report);
    report.add(wrongType("a number or a string", value));
    return undefined;
  };
}
