import { isRecord } from "@bowline/core";

import { isSame } from "../change-patch.ts";
import type { Operation } from "../json-patch.ts";

/** What a cluster makes of a patch, by the letter of RFC 6902; throws where a test fails or a place is not there. */
export function applyJsonPatch(document: unknown, patch: readonly Operation[]): unknown {
  return patch.reduce<unknown>(
    (value, operation) => applied(value, operation, partsOf(operation.path)),
    document,
  );
}

function partsOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function applied(value: unknown, operation: Operation, parts: readonly string[]): unknown {
  const [part, ...rest] = parts;
  if (part === undefined) return whole(value, operation);
  if (Array.isArray(value)) return inList(value, operation, [part, ...rest]);
  if (!isRecord(value)) throw new Error(`There is no ${part}.`);
  const isThere = Object.hasOwn(value, part);
  if (!isThere && (rest.length > 0 || operation.op !== "add")) throw new Error(`There is no ${part}.`);
  const entries = Object.entries(value).filter(([name]) => name !== part);
  if (operation.op === "remove" && rest.length === 0) return Object.fromEntries(entries);
  return Object.fromEntries([...entries, [part, applied(value[part], operation, rest)]]);
}

function inList(list: readonly unknown[], operation: Operation, parts: readonly string[]): unknown {
  const [part, ...rest] = parts;
  const index = Number(part);
  const isAddition = operation.op === "add" && rest.length === 0;
  if (!(index < list.length + (isAddition ? 1 : 0))) throw new Error(`There is no item ${part}.`);
  if (isAddition) return list.toSpliced(index, 0, operation.value);
  if (operation.op === "remove" && rest.length === 0) return list.toSpliced(index, 1);
  return list.with(index, applied(list[index], operation, rest));
}

function whole(value: unknown, operation: Operation): unknown {
  if (operation.op === "remove") throw new Error("The whole object cannot be removed.");
  if (operation.op !== "test") return operation.value;
  if (!isSame(value, operation.value)) throw new Error(`A test of ${operation.path} failed.`);
  return value;
}
