/** A controller or a node of the simulation tripped over an object it did not expect: a mistake in the simulation. */
export class ControllerError extends Error {
  override readonly name = "ControllerError";
  /** The queue of the controller, such as `deployment`. */
  readonly queue: string;
  /** The object, as `namespace/name`. */
  readonly key: string;

  constructor(queue: string, key: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The ${queue} controller of the simulated cluster failed on "${key}": ${reason}`, { cause });
    this.queue = queue;
    this.key = key;
  }
}

/** Where errors of controllers go: to whoever asked for them, or else to the next one who waits for the cluster. */
export class ControllerFailures {
  readonly #onError: ((error: ControllerError) => void) | undefined;
  #first: ControllerError | undefined;
  #isTold = false;

  constructor(onError: ((error: ControllerError) => void) | undefined) {
    this.#onError = onError;
  }

  report(cause: unknown, queue: string, key: string): void {
    const error = new ControllerError(queue, key, cause);
    if (this.#onError !== undefined) this.#onError(error);
    else this.#first ??= error;
  }

  /** Throws the first error, every time. */
  throwFirst(): void {
    if (this.#first === undefined) return;
    this.#isTold = true;
    throw this.#first;
  }

  /** Throws the first error unless somebody has had it already. */
  throwUntold(): void {
    if (!this.#isTold) this.throwFirst();
  }
}
