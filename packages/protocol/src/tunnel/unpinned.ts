/** Whether keeping the piece keeps much more memory than the piece has bytes. */
export function pinsMuch(piece: Buffer): boolean {
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
