import { BowlineError } from "./bowline-error.ts";

/** The failure that was one too many. */
export interface GivingUp {
  readonly child: string;
  readonly failure: BowlineError;
}

interface RunOutcome {
  readonly givingUp?: GivingUp | undefined;
  /** The children that did not end when told to. */
  readonly leftBehind: readonly string[];
}

/** What a run of a supervisor rejects with; nothing when it ended as it should. */
export function supervisorError(supervisor: string, outcome: RunOutcome): BowlineError | undefined {
  const { givingUp, leftBehind } = outcome;
  if (givingUp !== undefined) {
    const { child, failure } = givingUp;
    const message = `Supervisor "${supervisor}" gave up after too many restarts; "${child}" failed last: ${failure.message}`;
    return new BowlineError("SupervisorGaveUp", message, {
      cause: failure,
      details: { supervisor, child, leftBehind },
    });
  }
  if (leftBehind.length === 0) return undefined;
  const names = leftBehind.map((name) => `"${name}"`).join(", ");
  return new BowlineError(
    "ShutdownTimeout",
    `Supervisor "${supervisor}" left ${names} behind, still running.`,
    {
      details: { supervisor, leftBehind },
    },
  );
}
