import { Verbatim, type ConfigValue } from "./config-value.ts";

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
