import assert from "node:assert/strict";

import type { BowlineError } from "@bowline/core";

import type { AnswerHead, HeaderList } from "../tunnel/http-head.ts";
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

/** Fails when it is told what no handler may be: anything after an error, or a head, data or an end after the end. */
export class StrictHandler extends RecordingHandler {
  override headers(...args: Parameters<RecordingHandler["headers"]>): void {
    this.#expectOpen();
    super.headers(...args);
  }

  override data(chunk: Buffer): boolean {
    this.#expectOpen();
    return super.data(chunk);
  }

  override end(...args: Parameters<RecordingHandler["end"]>): void {
    this.#expectOpen();
    super.end(...args);
  }

  override error(...args: Parameters<RecordingHandler["error"]>): void {
    assert.deepEqual(this.errors, []);
    super.error(...args);
  }

  #expectOpen(): void {
    assert.deepEqual([this.ends.length, this.errors.length], [0, 0]);
  }
}
