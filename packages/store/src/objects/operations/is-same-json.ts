import { isDeepStrictEqual } from "node:util";

/** Whether two values are the same JSON, whatever the order of their keys; a key that is undefined is not there. */
export function isSameJson(value: unknown, stored: unknown): boolean {
  return isDeepStrictEqual(value, stored) || isDeepStrictEqual(JSON.parse(JSON.stringify(value)), stored);
}
