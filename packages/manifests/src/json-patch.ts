import { isDeepStrictEqual } from "node:util";

import { isJsonList, isJsonObject, type JsonValue } from "./json.ts";

/** An operation of RFC 6902. */
export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string | undefined;
  readonly value?: unknown;
}

/** Why an operation can be applied to nothing; undefined when it can. */
export function jsonPatchProblem({ op, path, from, value }: JsonPatchOperation): string | undefined {
  if (!isPointer(path)) return "needs a path such as /spec/replicas, with ~1 for '/' and ~0 for '~'";
  const needsFrom = op === "move" || op === "copy";
  if (needsFrom && (from === undefined || !isPointer(from))) return `needs from, a path, to ${op}`;
  if (!needsFrom && from !== undefined) return `has no from when it is to ${op}`;
  if (op === "move" && path.startsWith(`${from}/`)) return "moves something into itself";
  const needsValue = op === "add" || op === "replace" || op === "test";
  return needsValue && value === undefined ? `needs a value to ${op}` : undefined;
}

function isPointer(text: string): boolean {
  return text === "" || (text.startsWith("/") && !/~(?![01])/u.test(text));
}

/** Applies all operations or none: throws a `RangeError` that names the first that cannot be. Changes no argument. */
export function applyJsonPatch(document: JsonValue, operations: readonly JsonPatchOperation[]): JsonValue {
  return operations.reduce<JsonValue>((value, operation) => applyOne(value, operation), document);
}

function applyOne(document: JsonValue, operation: JsonPatchOperation): JsonValue {
  const { op, path, from = "" } = operation;
  // What is written comes from JSON; nothing else is in a patch.
  const given = operation.value as JsonValue;
  if (op === "add") return changeAt(document, path, add(given));
  if (op === "remove") return changeAt(document, path, remove);
  if (op === "replace") return changeAt(document, path, replace(given));
  if (op === "copy") return changeAt(document, path, add(valueAt(document, from)));
  if (op === "move") {
    return changeAt(changeAt(document, from, remove), path, add(valueAt(document, from)));
  }
  if (isDeepStrictEqual(valueAt(document, path), given)) return document;
  throw new RangeError(`what is at ${path} is not what the patch expects`);
}

/** Makes a container anew with something changed at a key of it; undefined as the key means the whole document. */
type Change = (container: JsonValue | undefined, key: string | undefined) => JsonValue | undefined;

const add =
  (value: JsonValue): Change =>
  (container, key) => {
    if (key === undefined) return value;
    if (isJsonList(container)) {
      const index = key === "-" ? container.length : indexIn(key, container.length + 1);
      return index === undefined ? undefined : container.toSpliced(index, 0, value);
    }
    return isJsonObject(container) ? withField(container, key, value) : undefined;
  };

const replace =
  (value: JsonValue): Change =>
  (container, key) => {
    if (key === undefined) return value;
    if (isJsonList(container)) {
      const index = indexIn(key, container.length);
      return index === undefined ? undefined : container.with(index, value);
    }
    return isJsonObject(container) && Object.hasOwn(container, key)
      ? withField(container, key, value)
      : undefined;
  };

const remove: Change = (container, key) => {
  if (key === undefined) return undefined;
  if (isJsonList(container)) {
    const index = indexIn(key, container.length);
    return index === undefined ? undefined : container.toSpliced(index, 1);
  }
  if (!isJsonObject(container) || !Object.hasOwn(container, key)) return undefined;
  return Object.fromEntries(Object.entries(container).filter(([name]) => name !== key));
};

/** Unlike an assignment, this takes `__proto__` for a key like any other. */
function withField(
  container: { readonly [key: string]: JsonValue },
  key: string,
  value: JsonValue,
): JsonValue {
  return Object.fromEntries(new Map(Object.entries(container)).set(key, value));
}

function changeAt(document: JsonValue, path: string, change: Change): JsonValue {
  const changed = changeIn(document, keysOf(path), change);
  if (changed === undefined) throw new RangeError(`there is nothing at ${path} that could be changed so`);
  return changed;
}

function changeIn(
  value: JsonValue | undefined,
  keys: readonly string[],
  change: Change,
): JsonValue | undefined {
  const [key, ...rest] = keys;
  if (key === undefined || rest.length === 0) return change(value, key);
  const inner = changeIn(childOf(value, key), rest, change);
  return inner === undefined ? undefined : replace(inner)(value, key);
}

function valueAt(document: JsonValue, path: string): JsonValue {
  const found = keysOf(path).reduce<JsonValue | undefined>(childOf, document);
  if (found === undefined) throw new RangeError(`there is nothing at ${path}`);
  return found;
}

function childOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (isJsonList(value)) {
    const index = indexIn(key, value.length);
    return index === undefined ? undefined : value[index];
  }
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function keysOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function indexIn(key: string, length: number): number | undefined {
  if (!/^(?:0|[1-9][0-9]{0,8})$/u.test(key)) return undefined;
  return Number(key) < length ? Number(key) : undefined;
}
