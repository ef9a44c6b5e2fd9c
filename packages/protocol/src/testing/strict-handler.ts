import assert from "node:assert/strict";

import { RecordingHandler } from "./recording-handler.ts";

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
