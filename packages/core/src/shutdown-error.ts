import { BowlineError } from "./bowline-error.ts";

export type StepOutcome =
  | { readonly name: string; readonly result: "done" | "hung" | "skipped" }
  | { readonly name: string; readonly result: "failed"; readonly error: unknown };

/** What went wrong in a shutdown, in one sentence; nothing when nothing did. */
export function shutdownError(outcomes: readonly StepOutcome[]): BowlineError | undefined {
  const failures = outcomes.filter((outcome) => outcome.result === "failed");
  const hung = namesOf(outcomes, "hung");
  const skipped = namesOf(outcomes, "skipped");
  const failed = namesOf(outcomes, "failed");
  if (hung.length + skipped.length + failed.length === 0) return undefined;

  const sentence = [
    ...part(hung, "did not end in time"),
    ...part(skipped, "had no time left to run"),
    ...part(failed, "failed"),
  ].join("; ");
  const isLate = hung.length + skipped.length > 0;
  return new BowlineError(isLate ? "ShutdownTimeout" : "Internal", `Shutdown was not clean: ${sentence}.`, {
    cause: causeOf(failures.map((failure) => failure.error)),
    details: { hung, skipped, failed },
  });
}

function namesOf(outcomes: readonly StepOutcome[], result: StepOutcome["result"]): string[] {
  return outcomes.filter((outcome) => outcome.result === result).map((outcome) => outcome.name);
}

function part(names: readonly string[], what: string): string[] {
  return names.length === 0 ? [] : [`${names.map((name) => `"${name}"`).join(", ")} ${what}`];
}

function causeOf(errors: readonly unknown[]): unknown {
  return errors.length > 1 ? new AggregateError(errors, "Several shutdown steps failed") : errors[0];
}
