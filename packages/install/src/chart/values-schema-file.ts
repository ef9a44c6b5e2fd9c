import type { JsonSchema } from "@bowline/api";
import { isRecord } from "@bowline/core";

import { valuesSchema, type ServerSettings } from "../values/parse-values.ts";
import { ruleSchemas } from "../values/value-rules.ts";

/** `values.schema.json`: the same schema, and the same rules, for Helm, which checks values with their defaults. */
export function valuesSchemaFile(settings: ServerSettings): string {
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Values of Bowline's chart",
    ...asRead(valuesSchema(settings)),
    allOf: ruleSchemas(),
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** Without keywords that only Bowline knows. */
function asRead(schema: JsonSchema): object {
  const kept = Object.entries(schema).filter(([keyword]) => !keyword.startsWith("x-"));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, readKeyword(keyword, value)]));
}

function readKeyword(keyword: string, value: unknown): unknown {
  if (keyword === "properties" && isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, isRecord(field) ? asRead(field) : field]),
    );
  }
  const holdsSchema = ["items", "additionalProperties", "propertyNames"].includes(keyword);
  return holdsSchema && isRecord(value) ? asRead(value) : value;
}
