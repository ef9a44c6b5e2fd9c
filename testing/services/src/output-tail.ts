import { StringDecoder } from "node:string_decoder";

const maxLineChars = 4096;

/** The last lines a process printed, in bounded memory however much it prints. */
export class OutputTail {
  readonly #maxLines: number;
  readonly #lines: string[] = [];
  readonly #decoder = new StringDecoder("utf8");
  #unfinished = "";

  constructor(maxLines = 200) {
    this.#maxLines = maxLines;
  }

  push(chunk: Buffer): void {
    const parts = (this.#unfinished + this.#decoder.write(chunk)).split("\n");
    this.#unfinished = (parts.pop() ?? "").slice(0, maxLineChars);
    for (const line of parts) this.#lines.push(line.slice(0, maxLineChars));
    if (this.#lines.length > this.#maxLines) this.#lines.splice(0, this.#lines.length - this.#maxLines);
  }

  /** Oldest first; a last line that has no newline yet is included. */
  lines(count = this.#maxLines): string[] {
    const all = this.#unfinished === "" ? this.#lines : [...this.#lines, this.#unfinished];
    return all.slice(-count);
  }
}
