/** Whether keeping the piece keeps much more memory than the piece has bytes. */
function pinsMuch(piece: Buffer): boolean {
  return piece.length * 4 < piece.buffer.byteLength;
}

/**
 * The piece, or a copy of it when it is a small view of a large buffer. Without this, a reader that is slow to take a
 * few bytes would keep the whole buffer that they came in.
 */
export function unpinned(piece: Buffer): Buffer {
  if (!pinsMuch(piece)) return piece;
  const copy = Buffer.allocUnsafeSlow(piece.length);
  piece.copy(copy);
  return copy;
}

/** Room of the buffer that small pieces are gathered in. */
const gatherBytes = 16_384;

/** A piece of this size is worth an entry of its own. */
const largeBytes = 2048;

/**
 * Pieces that wait for a reader that is busy. Small pieces are copied together, and so are those that would keep a
 * large buffer alive: what the queue holds on to is never much more than the bytes in it, whatever a peer sends.
 */
export class ReceiveQueue {
  readonly #pieces: Buffer[] = [];
  /** How much of the last piece is filled, when pieces are gathered in it; 0 when they are not. */
  #gathered = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  push(piece: Buffer): void {
    this.#bytes += piece.length;
    if (piece.length < largeBytes || pinsMuch(piece)) return this.#gather(piece);
    this.#seal();
    this.#pieces.push(piece);
  }

  shift(): Buffer | undefined {
    if (this.#pieces.length === 1) this.#seal();
    const piece = this.#pieces.shift();
    if (piece !== undefined) this.#bytes -= piece.length;
    return piece;
  }

  clear(): void {
    this.#pieces.length = 0;
    this.#gathered = 0;
    this.#bytes = 0;
  }

  #gather(piece: Buffer): void {
    for (let rest = piece; rest.length > 0;) {
      const target = this.#gatheringPiece();
      const copied = rest.copy(target, this.#gathered);
      rest = rest.subarray(copied);
      this.#gathered = (this.#gathered + copied) % gatherBytes;
    }
  }

  #gatheringPiece(): Buffer {
    const last = this.#pieces.at(-1);
    if (this.#gathered > 0 && last !== undefined) return last;
    const started = Buffer.allocUnsafeSlow(gatherBytes);
    this.#pieces.push(started);
    return started;
  }

  /** The last piece ends where it is filled; nothing is gathered in it any more. */
  #seal(): void {
    if (this.#gathered === 0) return;
    const last = this.#pieces.pop();
    if (last !== undefined) this.#pieces.push(unpinned(last.subarray(0, this.#gathered)));
    this.#gathered = 0;
  }
}
