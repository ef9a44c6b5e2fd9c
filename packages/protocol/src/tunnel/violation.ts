import { BowlineError } from "@bowline/core";

export function violation(message: string, details?: Readonly<Record<string, unknown>>): BowlineError {
  return new BowlineError("ProtocolViolation", message, details === undefined ? {} : { details });
}
