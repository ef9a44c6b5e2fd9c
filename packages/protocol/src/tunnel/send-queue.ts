import type { OutgoingBatch } from "./outgoing-batch.ts";

/** Chunks of one stream that wait to be sent. */
export class SendQueue {
  #chunks: Buffer[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** Appends exactly `bytes` bytes to the batch, cutting the last chunk where it must. */
  moveTo(batch: OutgoingBatch, bytes: number): void {
    this.#bytes -= bytes;
    let rest = bytes;
    let taken = 0;
    for (const chunk of this.#chunks) {
      if (chunk.length > rest) {
        if (rest > 0) {
          batch.append(chunk.subarray(0, rest));
          this.#chunks[taken] = chunk.subarray(rest);
        }
        break;
      }
      batch.append(chunk);
      rest -= chunk.length;
      taken++;
    }
    if (taken === this.#chunks.length) this.#chunks.length = 0;
    else if (taken > 0) this.#chunks.splice(0, taken);
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#bytes = 0;
  }
}
