import { BowlineError } from "@bowline/core";
import { SecretValues } from "@bowline/providers";

/** Shorter values are words that stand in any sentence. */
const leastLength = 6;

/** The secrets that a provider was given, so that nothing it says or throws shows them. */
export class ShownSecrets {
  readonly #values = new Set<string>();
  #hidden = new SecretValues([]);

  add(values: Readonly<Record<string, string>>): void {
    for (const value of Object.values(values)) if (value.length >= leastLength) this.#values.add(value);
    this.#hidden = new SecretValues([...this.#values]);
  }

  hide(text: string): string {
    return this.#hidden.redact(text);
  }

  /** The same failure; without its cause where that says too much. */
  hideIn(thrown: unknown): unknown {
    const error = BowlineError.from(thrown);
    const said = [...textsOf(thrown)].join("\n");
    if (this.hide(said) === said) return thrown;
    const { code, retryable, details } = error;
    const reason = details?.["reason"];
    return new BowlineError(code, this.hide(error.message), {
      retryable,
      ...(typeof reason === "string" ? { details: { reason } } : {}),
    });
  }
}

/** Whatever a log line would have of an error. */
function* textsOf(thrown: unknown, depth = 8): Generator<string> {
  if (!(thrown instanceof Error)) {
    if (typeof thrown === "string") yield thrown;
    return;
  }
  yield thrown.message;
  yield thrown.stack ?? "";
  if (thrown instanceof BowlineError) yield JSON.stringify(thrown.details ?? {});
  if (depth > 0) yield* textsOf(thrown.cause, depth - 1);
}
