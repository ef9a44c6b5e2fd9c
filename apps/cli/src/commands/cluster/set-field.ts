import { Cluster, fieldsOf } from "@bowline/api";
import { BowlineError, isRecord } from "@bowline/core";

import { printableLine } from "../../output/terminal-text.ts";

/** A field of `spec`, by the way that leads to it, and its value. */
export interface FieldValue {
  readonly steps: readonly (string | number)[];
  readonly value: string | number | boolean;
}

const assignment = /^(?<path>[A-Za-z][^=\s]{0,252})=(?<value>[^]*)$/u;
const step = /^(?<name>[A-Za-z_][-A-Za-z0-9_]*)(?:\[(?<index>\d{1,4})\])?$/u;

/**
 * Reads `eks.nodeGroups[0].maxSize=5`: the field and, by the schema of Clusters, the type of its value. Throws
 * `InvalidArgument`.
 */
export function parseField(text: string): FieldValue {
  const { path = "", value = "" } = assignment.exec(text)?.groups ?? {};
  if (path === "") {
    throw new BowlineError("InvalidArgument", `«${shown(text)}» is not FIELD=VALUE, such as maxNodes=3.`);
  }
  const parts = path.split(".").map((part) => step.exec(part)?.groups);
  const steps = parts.flatMap((part) => (part?.["name"] === undefined ? [] : stepsOf(part)));
  const field = `spec.${path.replaceAll(/\[\d+\]/gu, "[]")}`;
  const type = parts.includes(undefined) ? undefined : typeOf(field);
  if (type === undefined) {
    throw new BowlineError(
      "InvalidArgument",
      `A Cluster has no field «spec.${shown(path)}» that takes a value; bowline explain cluster.spec has them all.`,
    );
  }
  return { steps, value: valueOf(path, type, value) };
}

function stepsOf({ name = "", index }: Readonly<Record<string, string>>): (string | number)[] {
  return index === undefined ? [name] : [name, Number(index)];
}

/** The type of what has no fields of its own; undefined where there is nothing like that. */
function typeOf(path: string): string | undefined {
  const types = new Map(fieldsOf(Cluster.schemas.stored).map((field) => [field.path, field.type]));
  const own = path.endsWith("[]") ? itemType(types.get(path.slice(0, -2)), "list of ") : types.get(path);
  const type = own ?? itemType(types.get(path.slice(0, path.lastIndexOf("."))), "map of ");
  return type !== undefined && ["string", "integer", "boolean", "time"].includes(type) ? type : undefined;
}

function itemType(type: string | undefined, before: string): string | undefined {
  return type?.startsWith(before) === true ? type.slice(before.length).replace(/s$/u, "") : undefined;
}

function valueOf(path: string, type: string, value: string): FieldValue["value"] {
  if (type === "integer") {
    if (/^\d{1,15}$/u.test(value)) return Number(value);
    throw new BowlineError("InvalidArgument", `--set ${path} takes a whole number, not «${shown(value)}».`);
  }
  if (type !== "boolean") return value;
  if (value === "true" || value === "false") return value === "true";
  throw new BowlineError("InvalidArgument", `--set ${path} takes true or false, not «${shown(value)}».`);
}

/** The same with this field set; what is missing on the way to it is made. Throws `InvalidArgument`. */
export function withField(target: unknown, { steps, value }: FieldValue): unknown {
  const [first, ...rest] = steps;
  if (first === undefined) return value;
  if (typeof first === "string") {
    const fields = new Map(isRecord(target) ? Object.entries(target) : []);
    fields.set(first, withField(fields.get(first), { steps: rest, value }));
    return Object.fromEntries(fields);
  }
  const items: unknown[] = Array.isArray(target) ? [...target] : [];
  if (first > items.length) {
    throw new BowlineError(
      "InvalidArgument",
      `--set names the item [${first}] of a list, and not the one before.`,
    );
  }
  items[first] = withField(items[first], { steps: rest, value });
  return items;
}

function shown(text: string): string {
  return printableLine(text.slice(0, 64));
}
