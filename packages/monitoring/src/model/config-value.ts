/**
 * The configuration as data, before it is text. Maps keep the order of their keys; a key whose value is undefined is
 * not there.
 */
export type ConfigValue = string | number | boolean | null | Verbatim | readonly ConfigValue[] | ConfigMap;

export interface ConfigMap {
  readonly [key: string]: ConfigValue | undefined;
}

/** A plain scalar of a document that somebody else wrote, kept as it stands there: `1.10` must not become `1.1`. */
export class Verbatim {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** The text of a name that stands in the configuration; empty for what is none. */
export function textOf(value: ConfigValue | undefined): string {
  if (value instanceof Verbatim) return value.source;
  return typeof value === "string" ? value : "";
}

/** The map, or undefined when nothing is in it: an empty section says something that nobody asked for. */
export function nonEmptyMap(map: ConfigMap): ConfigMap | undefined {
  return Object.values(map).some((value) => value !== undefined) ? map : undefined;
}

/** The list, or undefined when nothing is in it. */
export function nonEmptyList<Value extends ConfigValue>(
  list: readonly Value[],
): readonly Value[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** How deep things stand in a job, mostly; the text of a line begins with as many spaces. */
const indentation = 4;

/** About how many characters a value takes as text. */
export function configSize(value: ConfigValue | undefined): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === "string") return value.length;
  if (value instanceof Verbatim) return value.source.length;
  if (typeof value !== "object") return 5;
  let size = 0;
  if (Array.isArray(value)) {
    for (const item of value) size += indentation + configSize(item);
    return size;
  }
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) size += indentation + key.length + configSize(item);
  }
  return size;
}
