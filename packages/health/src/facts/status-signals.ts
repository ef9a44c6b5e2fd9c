import { isRecord } from "@bowline/core";

import { keepScalar, project, type Cut } from "./field-mask.ts";
import { conditions } from "./masks.ts";

/** Names of fields by whose end a status tells how things are, in kinds that nobody has listed. */
const signalName =
  /(?:phase|state|status|stage|health|robustness|healthy|ready|readytouse|compliant|replicas|members|size|generation|failed|success|succeeded|applied|available|paused|suspended|result)$/iu;

/** Fields with words for people, or with the one word that says why. */
const messageName =
  /^(?:message|reason|phasereason|error|errors|errmsg|errormessage|lasterror|failuremessage|failurereason|description)$/iu;

/** Parts of a status that repeat configuration, in which there may be values of environment variables or worse. */
const configurationName =
  /spec|template|config|env|annotation|label|data|secret|credential|token|password|manifest|lastapplied/iu;

const maxDepth = 4;
/** All that is kept of one status, each condition counted as one. */
const maxFields = 64;
const maxItems = 32;
/** Fields of one record that are looked at; the others are as if they were not there. */
const maxNames = 512;

/** Walks a status of any kind and keeps what tells of health: conditions, states, counts, and words about them. */
export function statusSignals(status: unknown, cut: Cut): Readonly<Record<string, unknown>> {
  let left = maxFields;

  const record = (holder: Readonly<Record<string, unknown>>, path: string, depth: number): unknown => {
    const kept: (readonly [string, unknown])[] = [];
    // Fields near the top tell more, so that they take their share of the limit first.
    const names = Object.keys(holder).slice(0, maxNames);
    const nested = names.filter((name) => typeof holder[name] === "object" && holder[name] !== null);
    for (const name of [...names.filter((name) => !nested.includes(name)), ...nested]) {
      const short = name.slice(0, 64).toWellFormed();
      const part = field(short, holder[name], `${path}.${short}`, depth);
      if (part !== undefined) kept.push([short, part]);
    }
    return Object.fromEntries(kept);
  };

  const field = (name: string, value: unknown, path: string, depth: number): unknown => {
    if (left <= 0) return undefined;
    if (name === "conditions" && Array.isArray(value)) {
      left -= Math.max(1, Math.min(value.length, left));
      return project(value, conditions, path, cut);
    }
    if (typeof value !== "object" || value === null) return scalar(name, value);
    if (depth >= maxDepth || configurationName.test(name)) return undefined;
    return Array.isArray(value) ? items(value, path, depth) : nonEmpty(value, path, depth);
  };

  const scalar = (name: string, value: unknown): unknown => {
    const chars = messageName.test(name) ? 512 : signalName.test(name) ? 128 : 0;
    const part = chars === 0 ? undefined : keepScalar(value, chars);
    if (part !== undefined) left--;
    return part;
  };

  const nonEmpty = (value: unknown, path: string, depth: number): unknown => {
    if (!isRecord(value)) return undefined;
    const part = record(value, path, depth + 1);
    return isRecord(part) && Object.keys(part).length > 0 ? part : undefined;
  };

  /** An empty list stays: a list of reports that has none tells that nobody has reported. */
  const items = (value: readonly unknown[], path: string, depth: number): unknown => {
    if (value.length === 0) {
      left--;
      return [];
    }
    const parts = value
      .slice(0, maxItems)
      .map((item) => nonEmpty(item, `${path}[]`, depth))
      .filter((item) => item !== undefined);
    if (parts.length === 0) return undefined;
    if (value.length > maxItems) cut[path] = value.length;
    return parts;
  };

  const kept = isRecord(status) ? record(status, "status", 0) : {};
  return isRecord(kept) ? kept : {};
}
