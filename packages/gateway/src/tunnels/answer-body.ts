import { Readable } from "node:stream";

export interface AnswerBodyOptions {
  /** More is wanted. */
  readonly read: () => void;
  /** Whoever read it does not want the rest. */
  readonly abandoned: () => void;
}

/** The body of an answer as it comes out of a tunnel. */
export class AnswerBody extends Readable {
  readonly #options: AnswerBodyOptions;
  #isComplete = false;

  constructor(options: AnswerBodyOptions) {
    super();
    this.#options = options;
    // It may break before anybody listens; whoever reads later still gets the error from the stream's state.
    this.on("error", () => {});
  }

  complete(): void {
    this.#isComplete = true;
    this.push(null);
  }

  override _read(): void {
    this.#options.read();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (!this.#isComplete) this.#options.abandoned();
    callback(error);
  }
}
