import { createValidator, fillDefaults, object, type JsonSchema } from "@bowline/api";
import { asRecord, BowlineError, isRecord, mergePatch } from "@bowline/core";
import type { SettingTable } from "@bowline/program";
import type { Static, TObject } from "typebox";

import { chartValues } from "./chart-values.ts";
import { settingsForValues, settingsValues } from "./settings-values.ts";
import { brokenRules } from "./value-rules.ts";

/** The values of an installation, every one of them. */
export type InstallationValues = Static<TObject<typeof chartValues>> & {
  /** Of the server, in the groups of its table; those that were not given are missing. */
  readonly settings: Readonly<Record<string, unknown>>;
};

/** What an installation needs to know about the settings of the server. */
export type ServerSettings = Pick<SettingTable, "named" | "groupTitles">;

interface ValueProblem {
  readonly path: string;
  readonly message: string;
}

/** The schema of the values. That of the settings is made from the table of the server. */
export function valuesSchema(settings: ServerSettings): TObject {
  return object("Values of an installation of Bowline's server.", {
    ...chartValues,
    settings: settingsValues(settings),
  });
}

/** The values of somebody who gives none. */
export function defaultValues(settings: ServerSettings): unknown {
  return fillDefaults<unknown>(asJsonSchema(valuesSchema(settings)), {});
}

/**
 * The values with everything that was not given, as Helm puts them together: maps are merged, anything else replaces,
 * and `null` takes away. `InvalidArgument` names every value that is wrong, in its `details.fields`.
 */
export function parseValues(given: unknown, settings: ServerSettings): InstallationValues {
  const schema = valuesSchema(settings);
  const merged = given ?? {};
  const values = isRecord(merged) ? mergePatch(defaultValues(settings), merged) : merged;
  const validated = createValidator(schema)(values);
  const problems = [
    ...(validated.ok ? settingProblems(validated.value, settings) : validated.problems),
    ...brokenRules(values),
  ];
  if (problems.length > 0) throw wrongValues(problems);
  // The validator was made from the schema that this type is of.
  return (validated.ok ? validated.value : {}) as InstallationValues;
}

/** Types of settings know more than JSON Schema can say: the longest duration, for one. */
function settingProblems(values: unknown, settings: ServerSettings): ValueProblem[] {
  return settingsForValues(settings).flatMap(({ name, setting: { type, secret } }) => {
    const given = name
      .split(".")
      .reduce<unknown>((group, key) => asRecord(group)[key], asRecord(values)["settings"]);
    if (given === undefined || secret === "whole") return [];
    const items: readonly unknown[] = Array.isArray(given) ? given : [given];
    const text = items.map((item) => (typeof item === "string" ? item : JSON.stringify(item))).join(",");
    // An empty list is nothing.
    if (items.length === 0 || type.parse(text) !== undefined) return [];
    return [{ path: `settings.${name}`, message: `must be ${type.expects}` }];
  });
}

function wrongValues(fields: readonly ValueProblem[]): BowlineError {
  const [first = { path: "", message: "are wrong" }] = fields;
  const end = /[?.]$/u.test(first.message) ? "" : ".";
  const sentence = `${first.path === "" ? "The values" : first.path} ${first.message}${end}`;
  const message = fields.length > 1 ? `${fields.length} values are wrong, the first: ${sentence}` : sentence;
  return new BowlineError("InvalidArgument", message, { details: { fields } });
}

/** A TypeBox schema is one as it is. */
function asJsonSchema(schema: TObject): JsonSchema {
  return schema;
}
