import { BowlineError, isRecord } from "@bowline/core";

import { readSet, type Assignment } from "./read-set.ts";

/** Values as people give them, the weakest first: files, then `--set`, then `--set-string`. */
export interface GivenValues {
  readonly files?: readonly unknown[];
  /** Each with one assignment or more: `replicas=2,image.tag=1.2.3`. */
  readonly set?: readonly string[];
  /** The same, where every value is a text. */
  readonly setString?: readonly string[];
}

/** All of them as one, to be handed to `parseValues`; as Helm puts them together. `InvalidArgument` for a flag that it would refuse. */
export function givenValues({ files = [], set = [], setString = [] }: GivenValues): unknown {
  const fromFiles = files.reduce<unknown>((values, file) => mergeValues(values, file ?? {}), {});
  const assignments = [
    ...set.flatMap((text) => readSet(text)),
    ...setString.flatMap((text) => readSet(text, { asText: true })),
  ];
  return assignments.reduce<unknown>(
    (values, assignment) => assign(values, assignment.path, assignment),
    fromFiles,
  );
}

/** Maps are merged, anything else replaces. What is `null` stays: it takes a default away. */
function mergeValues(first: unknown, second: unknown): unknown {
  if (!isRecord(first) || !isRecord(second)) return second;
  const merged = new Map(Object.entries(first));
  for (const [key, value] of Object.entries(second)) merged.set(key, mergeValues(merged.get(key), value));
  return Object.fromEntries(merged);
}

function assign(target: unknown, path: Assignment["path"], assignment: Assignment): unknown {
  const [step, ...others] = path;
  if (step === undefined) return assignment.value;
  if (typeof step === "string") {
    const fields = new Map(isRecord(target) ? Object.entries(target) : []);
    return Object.fromEntries(fields.set(step, assign(fields.get(step), others, assignment)));
  }
  const items: unknown[] = Array.isArray(target) ? [...target] : [];
  if (step > items.length) {
    throw new BowlineError(
      "InvalidArgument",
      `--set ${assignment.text}: the list has ${items.length} items, so the next one is [${items.length}].`,
    );
  }
  items[step] = assign(items[step], others, assignment);
  return items;
}
