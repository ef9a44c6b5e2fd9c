import { isRecord } from "@bowline/core";

import { field, isList } from "../schema/json-value.ts";
import { rejectedPatch } from "./patch-error.ts";

/** What becomes of the container (object or list) that holds the last step of a pointer. */
type Edit = (container: unknown, key: string) => unknown;

/** The value a JSON pointer (RFC 6901) names. A missing field of an existing object is undefined, as the server has it. */
export function valueAtPointer(document: unknown, pointer: string): unknown {
  return steps(pointer).reduce(child, document);
}

export function addAt(document: unknown, pointer: string, value: unknown): unknown {
  return editAt(document, steps(pointer), (container, key) => {
    if (!isList(container)) return withField(container, key, value);
    return container.toSpliced(key === "-" ? container.length : index(key, container.length + 1), 0, value);
  });
}

export function replaceAt(document: unknown, pointer: string, value: unknown): unknown {
  return editAt(document, steps(pointer), (container, key) =>
    isList(container)
      ? container.with(index(key, container.length), value)
      : withField(container, key, value),
  );
}

export function removeAt(document: unknown, pointer: string): unknown {
  return editAt(document, steps(pointer), (container, key) => {
    if (isList(container)) return container.toSpliced(index(key, container.length), 1);
    if (!isRecord(container) || !Object.hasOwn(container, key)) throw rejectedPatch();
    return Object.fromEntries(Object.entries(container).filter(([name]) => name !== key));
  });
}

function editAt(container: unknown, path: readonly string[], edit: Edit): unknown {
  const [key, ...rest] = path;
  if (key === undefined) throw rejectedPatch();
  if (rest.length === 0) return edit(container, key);
  const edited = editAt(child(container, key), rest, edit);
  return isList(container)
    ? container.with(index(key, container.length), edited)
    : withField(container, key, edited);
}

function child(container: unknown, key: string): unknown {
  if (isList(container)) return container[index(key, container.length)];
  if (isRecord(container)) return field(container, key);
  throw rejectedPatch();
}

function withField(container: unknown, key: string, value: unknown): unknown {
  if (!isRecord(container)) throw rejectedPatch();
  return Object.fromEntries([...Object.entries(container), [key, value]]);
}

/** The server also counts from the end: `-1` is the last place. */
function index(key: string, length: number): number {
  if (!/^-?\d{1,9}$/.test(key)) throw rejectedPatch();
  const position = Number(key) < 0 ? Number(key) + length : Number(key);
  if (position < 0 || position >= length) throw rejectedPatch();
  return position;
}

function steps(pointer: string): string[] {
  if (!pointer.startsWith("/")) throw rejectedPatch();
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}
