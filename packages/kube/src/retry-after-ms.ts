import type { BowlineError } from "@bowline/core";

/** How long the server that caused an error asked to be left alone; 0 where it did not. */
export function retryAfterMs(error: BowlineError): number {
  const seconds = error.details?.["retryAfterSeconds"];
  return typeof seconds === "number" ? seconds * 1000 : 0;
}
