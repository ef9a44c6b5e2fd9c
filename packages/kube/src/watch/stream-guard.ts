import type { Readable } from "node:stream";
import { BowlineError, type Clock } from "@bowline/core";

interface StreamGuardOptions {
  readonly clock: Clock;
  /** The stream as errors name it: `the watch of pods`. */
  readonly subject: string;
  /** The stream is given up after this long, whatever happens. */
  readonly hardStopMs?: number;
  /** The stream is given up when it is waited for and brings nothing for this long. */
  readonly silenceMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Keeps the time of one streamed answer. A socket whose other side is gone stays open and silent for ever: nothing but
 * a clock can tell it from a quiet one.
 */
export class StreamGuard {
  readonly #options: StreamGuardOptions;
  readonly #abort = new AbortController();
  readonly #cancelHardStop: () => void;
  #cancelSilence: () => void = () => undefined;
  #waitingSinceMs: number | undefined;

  constructor(options: StreamGuardOptions) {
    this.#options = options;
    const { clock, hardStopMs, silenceMs, signal } = options;
    this.#cancelHardStop =
      hardStopMs === undefined ? () => undefined : clock.after(hardStopMs, () => this.#giveUp(hardStopMs));
    if (silenceMs !== undefined) this.#watchSilence(silenceMs, silenceMs);
    // Linked by hand: AbortSignal.any() on a signal that lives as long as the process collects its dependents.
    if (signal?.aborted === true) this.#onCancelled();
    else signal?.addEventListener("abort", this.#onCancelled, { once: true });
    this.#waitingSinceMs = clock.monotonicMs();
  }

  /** Goes with the request; aborted by the limits and by whoever owns the stream. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The chunks of a body. The next one is not read before the consumer has handled this one. */
  async *read(body: Readable): AsyncGenerator<Buffer, void, undefined> {
    const destroy = (): void => {
      body.destroy();
    };
    // The reader below sees every error; this only keeps one that comes after it has left from ending the process.
    body.on("error", () => undefined);
    this.signal.addEventListener("abort", destroy, { once: true });
    try {
      if (this.signal.aborted) destroy();
      for await (const chunk of body as AsyncIterable<Buffer>) {
        this.#waitingSinceMs = undefined;
        yield chunk;
        this.#waitingSinceMs = this.#options.clock.monotonicMs();
      }
      this.signal.throwIfAborted();
    } finally {
      this.signal.removeEventListener("abort", destroy);
      body.destroy();
    }
  }

  /** The error to report for what was thrown while reading: the limit that ended the stream, if one did. */
  failure(thrown: unknown): BowlineError {
    const reason: unknown = this.signal.aborted ? this.signal.reason : thrown;
    if (reason instanceof BowlineError) return reason;
    const message = `The connection broke during ${this.#options.subject}.`;
    return new BowlineError("ConnectionFailed", message, { cause: reason });
  }

  /** Ends all timers and listeners. */
  close(): void {
    this.#cancelHardStop();
    this.#cancelSilence();
    this.#options.signal?.removeEventListener("abort", this.#onCancelled);
  }

  readonly #onCancelled = (): void => {
    this.#abort.abort(new BowlineError("Cancelled", `Stopped during ${this.#options.subject}.`));
  };

  #giveUp(afterMs: number): void {
    const seconds = Math.round(afterMs / 1000);
    const message = `Gave up ${this.#options.subject}: the API server was silent when it should have ended, ${seconds} s after its start.`;
    this.#abort.abort(new BowlineError("Timeout", message, { details: { afterMs } }));
  }

  #watchSilence(silenceMs: number, delayMs: number): void {
    const { clock, subject } = this.#options;
    this.#cancelSilence = clock.after(delayMs, () => {
      const silentMs = clock.monotonicMs() - (this.#waitingSinceMs ?? clock.monotonicMs());
      if (silentMs < silenceMs) {
        this.#watchSilence(silenceMs, silenceMs - silentMs);
        return;
      }
      const message = `Gave up ${subject}: the API server sent nothing for ${Math.round(silenceMs / 1000)} s.`;
      this.#abort.abort(new BowlineError("Timeout", message, { details: { silenceMs } }));
    });
  }
}
