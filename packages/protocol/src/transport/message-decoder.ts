import { violation } from "../message-order.ts";

/** A byte for the compression, four for the length: what gRPC puts before every message. */
const prefixBytes = 5;

/** Cuts the bytes of a call into messages, however they were cut into chunks on the way. Holds at most one message. */
export class MessageDecoder {
  readonly #maxMessageBytes: number;
  #chunks: Buffer[] = [];
  #heldBytes = 0;
  /** The bytes that make the next message complete; until its prefix is there, just the prefix. */
  #neededBytes = prefixBytes;

  constructor(maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** Yields each message as soon as it is complete. Throws `ProtocolViolation`. */
  *push(chunk: Buffer): Generator<Buffer> {
    let rest = chunk;
    while (this.#heldBytes + rest.length >= this.#neededBytes) {
      const taken = this.#neededBytes - this.#heldBytes;
      const whole = this.#join(rest.subarray(0, taken));
      rest = rest.subarray(taken);
      if (this.#neededBytes === prefixBytes) this.#neededBytes += this.#lengthIn(whole);
      if (this.#neededBytes > whole.length) {
        this.#hold(whole);
        continue;
      }
      this.#neededBytes = prefixBytes;
      yield whole.subarray(prefixBytes);
    }
    if (rest.length > 0) this.#hold(rest);
  }

  /** The sender is done; that must not be within a message. */
  finish(): void {
    if (this.#heldBytes > 0) throw violation("The call ended within a message.");
  }

  #hold(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #join(last: Buffer): Buffer {
    const whole = this.#chunks.length === 0 ? last : Buffer.concat([...this.#chunks, last]);
    this.#chunks = [];
    this.#heldBytes = 0;
    return whole;
  }

  #lengthIn(prefix: Buffer): number {
    if (prefix[0] !== 0) throw violation("A message is compressed, or is not gRPC.");
    const length = prefix.readUInt32BE(1);
    if (length <= this.#maxMessageBytes) return length;
    throw violation(`A message of ${length} bytes is longer than the ${this.#maxMessageBytes} allowed here.`);
  }
}

export function encodeMessage(message: Uint8Array): Buffer {
  const encoded = Buffer.allocUnsafeSlow(prefixBytes + message.length);
  encoded[0] = 0;
  encoded.writeUInt32BE(message.length, 1);
  encoded.set(message, prefixBytes);
  return encoded;
}
