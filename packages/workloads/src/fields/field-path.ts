import { isRecord, type PathPart } from "@bowline/core";

/** Whether a selector of a path, such as `name="web"`, chooses an item of a list. */
type Chooses = (item: unknown, index: number) => boolean;

const longestPath = 1_000;

/**
 * Where a path such as `.spec.template.spec.containers[name="web"].image` leads in an object; undefined where the object
 * has no such field. This is how Kubernetes writes fields in conflicts: keys are not quoted, so a key with dots can only
 * be told apart by looking at the object. Quoted keys, `["example.com/note"]`, are read as well.
 */
export function findField(object: unknown, path: string): readonly PathPart[] | undefined {
  if (path === "" || path.length > longestPath) return undefined;
  return find(object, path.startsWith(".") || path.startsWith("[") ? path : `.${path}`);
}

function find(value: unknown, rest: string): readonly PathPart[] | undefined {
  if (rest === "") return [];
  const steps = rest.startsWith(".") ? namedSteps(value, rest) : bracketSteps(value, rest);
  for (const { part, next, after } of steps) {
    const found = find(next, after);
    if (found !== undefined) return [part, ...found];
  }
  return undefined;
}

interface Step {
  readonly part: PathPart;
  readonly next: unknown;
  /** The path from there on. */
  readonly after: string;
}

/** Longer keys first: `.annotations.example.com/note` is the key `example.com/note` where there is one. */
function namedSteps(value: unknown, rest: string): Step[] {
  if (!isRecord(value)) return [];
  return Object.keys(value)
    .filter((key) => rest.startsWith(key, 1) && /^(?:$|[.[])/.test(rest.slice(1 + key.length)))
    .toSorted((a, b) => b.length - a.length)
    .map((key) => ({ part: key, next: value[key], after: rest.slice(1 + key.length) }));
}

/** A selector ends at the first bracket that makes it one: values in quotes may have brackets in them. */
function bracketSteps(value: unknown, rest: string): Step[] {
  for (let end = rest.indexOf("]"); end !== -1; end = rest.indexOf("]", end + 1)) {
    const selector = rest.slice(1, end);
    const after = rest.slice(end + 1);
    if (isRecord(value)) {
      const key = parsed(selector);
      if (typeof key === "string") return key in value ? [{ part: key, next: value[key], after }] : [];
      continue;
    }
    const chooses = chooserOf(selector);
    if (chooses === undefined || !Array.isArray(value)) continue;
    const items: readonly unknown[] = value;
    const index = items.findIndex(chooses);
    return index === -1 ? [] : [{ part: index, next: items[index], after }];
  }
  return [];
}

/** `3`, `="value"`, or keys with their values, `containerPort=80,protocol="TCP"`. */
function chooserOf(selector: string): Chooses | undefined {
  if (/^\d{1,6}$/.test(selector)) return (_, index) => index === Number(selector);
  if (selector.startsWith("=")) {
    const wanted = parsed(selector.slice(1));
    return wanted === undefined ? undefined : (item) => item === wanted;
  }
  const keys: [key: string, value: unknown][] = [];
  let rest = selector;
  while (rest !== "") {
    const match = /^([A-Za-z][A-Za-z0-9_.-]*)=("(?:[^"\\]|\\.)*"|[^",]+)(?:,|$)/.exec(rest);
    const [whole = "", key = "", text = ""] = match ?? [];
    const value = parsed(text);
    if (match === null || value === undefined) return undefined;
    keys.push([key, value]);
    rest = rest.slice(whole.length);
  }
  if (keys.length === 0) return undefined;
  return (item) => isRecord(item) && keys.every(([key, value]) => hasKey(item, key, value));
}

/** Keys that a manifest leaves out have their default in the cluster; of all list keys, only a port's protocol has one. */
export function hasKey(item: Readonly<Record<string, unknown>>, key: string, value: unknown): boolean {
  const own = item[key] ?? (key === "protocol" ? "TCP" : undefined);
  return own === value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not a JSON value: the bracket belongs to something longer.
    return undefined;
  }
}
