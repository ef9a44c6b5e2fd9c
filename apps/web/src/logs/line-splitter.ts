/** A line longer than this is two: one container cannot fill the memory of a page with one line. */
const longestLine = 256 * 1024;

/** Makes lines of bytes, however they were cut. */
export class LineSplitter {
  readonly #decoder = new TextDecoder();
  readonly #longest: number;
  #rest = "";

  constructor(longest: number = longestLine) {
    this.#longest = longest;
  }

  /** The lines that are complete by now. */
  take(bytes: Uint8Array): string[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    while (this.#rest.length > this.#longest) {
      lines.push(this.#rest.slice(0, this.#longest));
      this.#rest = this.#rest.slice(this.#longest);
    }
    return lines;
  }

  /** What is left when nothing more will come. */
  end(): string[] {
    const rest = this.#rest + this.#decoder.decode();
    this.#rest = "";
    return rest === "" ? [] : [rest];
  }
}
