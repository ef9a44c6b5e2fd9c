import { isRecord } from "@bowline/core";

import type { JsonSchema } from "./json-schema.ts";

type Fill = (value: unknown) => unknown;

/** Compiled once: every object that is read passes through it. */
const compiled = new WeakMap<JsonSchema, Fill | undefined>();

/**
 * The value with the defaults of fields that it does not have: an object that was stored before its kind got a field is
 * read as if it had been written with it. Nothing is checked. Returns the value itself where there is nothing to fill in.
 */
export function fillDefaults<Value>(schema: JsonSchema, value: Value): Value;
export function fillDefaults(schema: JsonSchema, value: unknown): unknown {
  const fill = fillOf(schema);
  return fill === undefined ? value : fill(value);
}

/** Undefined for a schema that has no default anywhere. */
function fillOf(schema: JsonSchema): Fill | undefined {
  if (compiled.has(schema)) return compiled.get(schema);
  const fill = compile(schema);
  compiled.set(schema, fill);
  return fill;
}

function compile({ properties, items }: JsonSchema): Fill | undefined {
  const fillItem = items === undefined ? undefined : fillOf(items);
  if (fillItem !== undefined) {
    return (value) => (Array.isArray(value) ? sameOr(value, value.map(fillItem)) : value);
  }
  const fields = Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const fill = fillOf(property);
    return property.default === undefined && fill === undefined
      ? []
      : [{ name, fill, default: property.default }];
  });
  if (fields.length === 0) return undefined;
  return (value) => {
    if (!isRecord(value)) return value;
    const added: Record<string, unknown> = {};
    for (const { name, fill, default: preset } of fields) {
      const present = Object.hasOwn(value, name) ? value[name] : undefined;
      const chosen = present ?? structuredClone(preset);
      const filled = fill === undefined ? chosen : fill(chosen);
      if (filled !== undefined && filled !== present) added[name] = filled;
    }
    return Object.keys(added).length === 0 ? value : { ...value, ...added };
  };
}

function sameOr(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, index) => item === before[index]) ? before : after;
}
