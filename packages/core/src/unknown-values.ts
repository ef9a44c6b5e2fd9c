import type { ErrorCode } from "./error-codes.ts";

/** Whether a value is an object with named fields, as JSON has them: neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The record that a value is, or an empty one: for reading fields of what may be anything. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** The code that an error carries: one of ours, or one of Node's such as `ENOENT`; undefined for what has none. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string"
    ? thrown.code
    : undefined;
}

/** Whether an error carries one of these codes. */
export function hasCode(thrown: unknown, ...codes: readonly (ErrorCode | `E${string}`)[]): boolean {
  const code = codeOf(thrown);
  return code !== undefined && codes.some((wanted) => wanted === code);
}

/** A value that nobody who gets it may change, down to the last field. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;
