import { BowlineError } from "./bowline-error.ts";
import type { Clock } from "./clock.ts";
import { withDeadline } from "./deadline.ts";

/** Closes one thing. The signal aborts when the step's time is up. */
type ShutdownStep = (signal: AbortSignal) => Promise<void> | void;

interface ShutdownOptions {
  readonly clock: Clock;
  /** How long one step may take, unless it says otherwise. */
  readonly stepLimitMs: number;
  /** How long all may take; Kubernetes kills a pod after 30 seconds by default. */
  readonly totalLimitMs: number;
}

interface ShutdownStepOptions {
  readonly limitMs?: number;
}

interface NamedStep {
  readonly name: string;
  readonly run: ShutdownStep;
  readonly limitMs: number;
}

/**
 * Closes what a program opened, in the reverse order of opening, once.
 *
 * States:
 * - open: steps are added and removed
 * - running: `signal` is aborted and the steps run, the last added first; a step added now runs next
 * - finished: all steps ran, failed, hung or were skipped for lack of time; nothing can be added
 */
export class Shutdown {
  readonly #options: ShutdownOptions;
  readonly #controller = new AbortController();
  readonly #finished = Promise.withResolvers<void>();
  #steps: NamedStep[] = [];
  #state: "open" | "running" | "finished" = "open";

  constructor(options: ShutdownOptions) {
    this.#options = options;
    // The caller that starts it need not be the one who waits for it: the failure is told by `finished`, to those who ask.
    this.#finished.promise.catch(() => {});
  }

  /** Aborts when the shutdown begins: readiness fails, loops end, nothing new is accepted. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Adds a step and returns what removes it, for things that are closed before the program ends. */
  add(name: string, run: ShutdownStep, options: ShutdownStepOptions = {}): () => void {
    if (this.#state === "finished") {
      throw new BowlineError(
        "Cancelled",
        `"${name}" started after the shutdown had finished; it has to close itself.`,
      );
    }
    const step: NamedStep = { name, run, limitMs: options.limitMs ?? this.#options.stepLimitMs };
    this.#steps.push(step);
    return () => {
      this.#steps = this.#steps.filter((other) => other !== step);
    };
  }

  /**
   * Begins the shutdown, unless it has begun already, and waits for its end as `finished` does. `why` completes the
   * sentence "Shutting down: …" that `signal` gives as its reason.
   */
  run(why: string): Promise<void> {
    if (this.#state === "open") {
      this.#state = "running";
      this.#controller.abort(new BowlineError("Cancelled", `Shutting down: ${why}`));
      void this.#runSteps();
    }
    return this.finished();
  }

  /** Waits for the end; rejects with `ShutdownTimeout` when a step hung, and with the failure when one failed. */
  finished(): Promise<void> {
    return this.#finished.promise;
  }

  async #runSteps(): Promise<void> {
    const endsMs = this.#options.clock.monotonicMs() + this.#options.totalLimitMs;
    const outcomes: StepOutcome[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      outcomes.push(await this.#runStep(step, endsMs));
    }
    this.#state = "finished";
    const error = shutdownError(outcomes);
    if (error === undefined) this.#finished.resolve();
    else this.#finished.reject(error);
  }

  async #runStep({ name, run, limitMs }: NamedStep, endsMs: number): Promise<StepOutcome> {
    const { clock } = this.#options;
    const remainingMs = endsMs - clock.monotonicMs();
    if (remainingMs <= 0) return { name, result: "skipped" };
    const timeout = new BowlineError("ShutdownTimeout", `Shutdown step "${name}" took too long.`);
    const onTimeout = (): Error => timeout;
    try {
      await withDeadline(run, { clock, limitMs: Math.min(limitMs, remainingMs), onTimeout });
      return { name, result: "done" };
    } catch (error) {
      return error === timeout ? { name, result: "hung" } : { name, result: "failed", error };
    }
  }
}

type StepOutcome =
  | { readonly name: string; readonly result: "done" | "hung" | "skipped" }
  | { readonly name: string; readonly result: "failed"; readonly error: unknown };

/** The failures of a shutdown in one sentence; undefined when nothing failed. */
function shutdownError(outcomes: readonly StepOutcome[]): BowlineError | undefined {
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
