import { BowlineError } from "@bowline/core";

/** One event of a stream of server-sent events. */
export interface SseEvent {
  /** The place to go on from after this event; undefined when the stream has named none yet. */
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * Takes the bytes of a `text/event-stream` as they come and gives the events that are complete, as the HTML standard
 * defines them. What is left at the end of the stream is half an event, and is dropped.
 */
export class SseDecoder {
  readonly #maxEventBytes: number;
  readonly #text = new TextDecoder();
  #rest = "";
  #endedWithCr = false;
  #data: string[] = [];
  #size = 0;
  #id: string | undefined;

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  *decode(chunk: Uint8Array): Generator<SseEvent, void, undefined> {
    let text = this.#text.decode(chunk, { stream: true });
    // The second half of a line end that was cut in two is not a line of its own.
    if (this.#endedWithCr && text.startsWith("\n")) text = text.slice(1);
    if (text === "") return;
    this.#endedWithCr = text.endsWith("\r");
    const lines = text.split(/\r\n|\r|\n/);
    const last = lines.pop() ?? "";
    for (const line of lines) {
      const event = this.#line(this.#rest + line);
      this.#rest = "";
      if (event !== undefined) yield event;
    }
    this.#rest += last;
    this.#require(this.#rest.length);
  }

  #line(line: string): SseEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") {
      this.#data.push(value);
      this.#size += value.length;
      this.#require(this.#size);
    }
    // An empty one says that there is nothing to go on from any more.
    if (name === "id" && !value.includes("\0")) this.#id = value === "" ? undefined : value;
    return undefined;
  }

  #dispatch(): SseEvent | undefined {
    const lines = this.#data;
    this.#data = [];
    this.#size = 0;
    return lines.length === 0 ? undefined : { id: this.#id, data: lines.join("\n") };
  }

  #require(size: number): void {
    if (size <= this.#maxEventBytes) return;
    throw new BowlineError(
      "ResponseTooLarge",
      `The server sent an event of more than ${this.#maxEventBytes} bytes.`,
      {
        details: { maxBytes: this.#maxEventBytes },
      },
    );
  }
}
