import type { ErrorCode } from "./error-codes.ts";

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
