import { malformed } from "../message/byte-reader.ts";

const lengthBytes = 2;

/** Cuts a stream into messages, each with its length in two bytes before it. Never holds more than one. */
export class MessageSplitter {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** False while a message has begun and not ended. */
  get isBetweenMessages(): boolean {
    return this.#bytes === 0;
  }

  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (let wanted = this.#wanted(); wanted !== undefined; wanted = this.#wanted()) {
      const all = Buffer.concat(this.#chunks);
      const rest = all.subarray(wanted);
      this.#chunks = rest.length === 0 ? [] : [rest];
      this.#bytes = rest.length;
      yield all.subarray(lengthBytes, wanted);
    }
  }

  /** The length of the message that is whole; undefined as long as none is. */
  #wanted(): number | undefined {
    if (this.#bytes < lengthBytes) return undefined;
    const [first = Buffer.alloc(0), ...more] = this.#chunks;
    // The first two bytes can have come one by one.
    if (first.length < lengthBytes) this.#chunks = [Buffer.concat([first, ...more])];
    const length = this.#chunks[0]?.readUInt16BE(0) ?? 0;
    if (length === 0) throw malformed("it is empty");
    return this.#bytes < lengthBytes + length ? undefined : lengthBytes + length;
  }
}

/** A message with its length before it. */
export function framed(message: Buffer): Buffer {
  const frame = Buffer.alloc(lengthBytes + message.length);
  frame.writeUInt16BE(message.length, 0);
  message.copy(frame, lengthBytes);
  return frame;
}
