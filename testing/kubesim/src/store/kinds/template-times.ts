import { isRecord } from "@bowline/core";

import type { SimObject } from "../sim-api.ts";
import type { KindContext, KindRules } from "./kind-rules.ts";

/** The first version that leaves out times which are not set. */
const omitsZeroTimes = 34;

/**
 * The rules of a kind with templates inside. Nobody creates a template, and yet the server shows when: its metadata
 * has a time of creation that is null, which nobody owns. `paths` lead to the metadata, through lists as well.
 */
export function withTemplates(rules: KindRules, ...paths: readonly string[]): KindRules {
  const steps = paths.map((path) => path.split("."));
  const timed = (object: SimObject, { minorVersion }: KindContext): SimObject =>
    minorVersion >= omitsZeroTimes ? object : steps.reduce((next, path) => withNullTime(next, path), object);
  return {
    ...rules,
    onCreate: (object, context) => {
      const given = timed(object, context);
      return rules.onCreate?.(given, context) ?? given;
    },
    onUpdate: (next, live, context) => {
      const given = timed(next, context);
      return rules.onUpdate?.(given, live, context) ?? given;
    },
  };
}

/** Shares everything with the given value that does not change. */
function withNullTime<T>(value: T, path: readonly string[]): T;
function withNullTime(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => withNullTime(item, path));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isRecord(value)) return value;
  const [step, ...rest] = path;
  if (step === undefined) return "creationTimestamp" in value ? value : { creationTimestamp: null, ...value };
  const child = withNullTime(value[step] ?? (rest.length === 0 ? {} : undefined), rest);
  return child === value[step] ? value : { ...value, [step]: child };
}
