import type { BowlineError } from "@bowline/core";

import type { AnswerHead, HeaderList } from "../tunnel/frame.ts";
import type { StreamHandler } from "../tunnel/tunnel-stream.ts";

/** Writes down what a stream tells its owner. */
export class RecordingHandler implements StreamHandler {
  readonly heads: AnswerHead[] = [];
  readonly chunks: Buffer[] = [];
  readonly ends: HeaderList[] = [];
  readonly errors: BowlineError[] = [];
  drains = 0;
  /** Answered to `data`: false asks for a pause. */
  takesMore = true;

  headers(head: AnswerHead): void {
    this.heads.push(head);
  }

  data(chunk: Buffer): boolean {
    this.chunks.push(chunk);
    return this.takesMore;
  }

  end(trailers: HeaderList): void {
    this.ends.push(trailers);
  }

  drain(): void {
    this.drains++;
  }

  error(error: BowlineError): void {
    this.errors.push(error);
  }

  get body(): Buffer {
    return Buffer.concat(this.chunks);
  }

  get text(): string {
    return this.body.toString();
  }
}
