import { isRecord, type PathPart } from "@bowline/core";

/** The value without one of its fields. Objects that have nothing else in them go along: an empty one would be a field too. */
export function withoutField(value: unknown, path: readonly PathPart[]): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return undefined;
  const next = rest.length === 0 ? undefined : withoutField(childOf(value, part), rest);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return next === undefined ? items.filter((_, index) => index !== part) : withChild(value, part, next);
  }
  if (!isRecord(value)) return value;
  if (next !== undefined) return withChild(value, part, next);
  const { [part]: _gone, ...others } = value;
  return Object.keys(others).length === 0 ? undefined : others;
}

/** The value with another one in the place of one of its fields. */
export function withField(value: unknown, path: readonly PathPart[], replacement: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return replacement;
  return withChild(value, part, withField(childOf(value, part), rest, replacement));
}

export function fieldAt(value: unknown, path: readonly PathPart[]): unknown {
  return path.reduce(childOf, value);
}

function childOf(value: unknown, part: PathPart): unknown {
  if (Array.isArray(value)) return typeof part === "number" ? value[part] : undefined;
  return isRecord(value) ? value[part] : undefined;
}

function withChild(value: unknown, part: PathPart, child: unknown): unknown {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((item, index) => (index === part ? child : item));
  }
  return isRecord(value) ? { ...value, [part]: child } : value;
}
