import { BowlineError } from "@bowline/core";

const pascalCase = /^[A-Z][A-Za-z0-9]{0,127}$/;

/** A reason stands in conditions and events, where programs compare it: one word in PascalCase, never a sentence. */
export function checkReason(reason: string): void {
  if (pascalCase.test(reason)) return;
  throw new BowlineError("InvalidArgument", `The reason "${reason}" must be one word in PascalCase.`);
}
