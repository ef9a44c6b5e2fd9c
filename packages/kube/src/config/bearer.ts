import { BowlineError } from "@bowline/core";

/** The header for a token. One that HTTP would refuse must not end up, with its value, in HTTP's error. */
export function bearer(token: string, source: string): string {
  const trimmed = token.trim();
  if (trimmed === "" || /[^\x21-\x7e]/.test(trimmed)) {
    throw new BowlineError(
      "KubeconfigInvalid",
      `The bearer token from ${source} is empty or holds characters no token has.`,
    );
  }
  return `Bearer ${trimmed}`;
}
