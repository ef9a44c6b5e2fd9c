import { BowlineError } from "@bowline/core";
import { ByteAccumulator } from "./json-bytes.ts";

const newline = 0x0a;

interface LineSplitterOptions {
  readonly maxLineBytes: number;
  /** The objects in the lines, for the error that says one was too long: `pods`. */
  readonly subject: string;
}

/**
 * Cuts a stream into lines on raw bytes: a chunk may end anywhere, also in the middle of a character, and only whole
 * lines are ever decoded.
 */
export class LineSplitter {
  readonly #options: LineSplitterOptions;
  readonly #partial = new ByteAccumulator();

  constructor(options: LineSplitterOptions) {
    this.#options = options;
  }

  /** Whether the stream stands in the middle of a line. */
  get midLine(): boolean {
    return this.#partial.length > 0;
  }

  /** The lines that this chunk ends, without their newline; each is valid only until the next one is asked for. */
  *split(chunk: Buffer): Generator<Buffer, void, undefined> {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      this.#check(this.#partial.length + at - from);
      if (this.#partial.length === 0) {
        yield chunk.subarray(from, at);
      } else {
        this.#partial.append(chunk, from, at);
        yield this.#partial.bytes();
        this.#partial.clear();
      }
      from = at + 1;
    }
    this.#check(this.#partial.length + chunk.length - from);
    if (from < chunk.length) this.#partial.append(chunk, from, chunk.length);
  }

  #check(lineBytes: number): void {
    const { maxLineBytes, subject } = this.#options;
    if (lineBytes <= maxLineBytes) return;
    throw new BowlineError(
      "ResponseTooLarge",
      `The API server sent an event of ${subject} that is longer than ${maxLineBytes} bytes; raise maxLineBytes, or watch with metadataOnly.`,
      { details: { subject, maxLineBytes } },
    );
  }
}
