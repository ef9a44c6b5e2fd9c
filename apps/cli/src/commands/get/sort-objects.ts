import { fieldsOf, parseFieldPath, valuesAt, type Kind } from "@bowline/api";
import { BowlineError, closest } from "@bowline/core";

import type { FoundObject } from "../../resources/resource.ts";

/** Objects by the value of a field, those without it first; what is equal stays in order. */
export function sortObjects(found: readonly FoundObject[], field: string): FoundObject[] {
  // As people write it for kubectl: {.metadata.name}
  const path = field.replaceAll(/^\{|\}$/gu, "").replace(/^\./u, "");
  for (const kind of new Set(found.map((item) => item.kind))) requireField(kind, path);
  const parsed = parseFieldPath(path);
  const keyed = found.map((item) => ({ item, key: valuesAt(parsed, item.object)[0] }));
  return keyed.toSorted((a, b) => compare(a.key, b.key)).map(({ item }) => item);
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [left, right] = [textOf(a), textOf(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Maps take any key, and conditions are found by their type, so only what comes before those can be checked. */
function requireField(kind: Kind, path: string): void {
  const fields = fieldsOf(kind.schemas.read).map((known) => known.path.replaceAll("[]", ""));
  const plain = path
    .replaceAll("[]", "")
    .replace(/^(metadata\.(?:labels|annotations)|status\.conditions)\..*$/u, "$1");
  if (fields.some((known) => known === plain)) return;
  const parent = fields.find(
    (known) => plain.startsWith(`${known}.`) && !fields.some((other) => other.startsWith(`${known}.`)),
  );
  if (parent !== undefined) return;
  const meant = closest(plain, fields);
  const hint = meant === undefined ? "." : `; did you mean «${meant}»?`;
  throw new BowlineError("InvalidArgument", `A ${kind.kind} has no field «${path.slice(0, 64)}»${hint}`);
}
