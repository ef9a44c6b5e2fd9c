/**
 * Finds where answers end on a connection, at next to no cost: the head of each is looked at, its body only counted. It
 * reads no chunked bodies, which no backend here sends.
 */
export class AnswerCounter {
  #head = "";
  /** What is still to come of the answer under way; undefined while its head is not complete. */
  #left: number | undefined;

  /** True when the answer is complete with this chunk. Throws when it is no success. */
  receive(chunk: Buffer): boolean {
    if (this.#left === undefined) {
      this.#head += chunk.toString("latin1");
      this.#left = bytesLeft(this.#head);
      if (this.#left === undefined) return false;
      this.#head = "";
    } else {
      this.#left -= chunk.length;
    }
    if (this.#left > 0) return false;
    this.#left = undefined;
    return true;
  }
}

/** What is missing behind these first bytes of an answer; undefined when its head is. */
function bytesLeft(text: string): number | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const head = text.slice(0, headEnd);
  const length = /\r\ncontent-length: (?<bytes>\d+)/iu.exec(head)?.groups?.["bytes"];
  if (!head.startsWith("HTTP/1.1 2") || (length === undefined && !head.startsWith("HTTP/1.1 204"))) {
    throw new Error(`This is not the answer that was expected: ${text.slice(0, 500)}`);
  }
  return headEnd + 4 + Number(length ?? 0) - text.length;
}
