import { readPath, readString } from "../../store/json-value.ts";

export interface WatchedEvent {
  readonly type: string;
  readonly name: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly object: unknown;
}

/** Reads a watch line by line; `next` waits for an event, `undefined` is the end of the stream. */
export class WatchReader {
  readonly status: number;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #abort: () => void;
  readonly #decoder = new TextDecoder();
  #buffer = "";

  constructor(status: number, stream: ReadableStream<Uint8Array>, abort: () => void) {
    this.status = status;
    this.#reader = stream.getReader();
    this.#abort = abort;
  }

  async next(): Promise<WatchedEvent | undefined> {
    for (;;) {
      const end = this.#buffer.indexOf("\n");
      if (end >= 0) {
        const line = this.#buffer.slice(0, end);
        this.#buffer = this.#buffer.slice(end + 1);
        return eventOf(JSON.parse(line));
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#buffer += this.#decoder.decode(value, { stream: true });
    }
  }

  /** The next events as `TYPE name`. */
  async take(count: number): Promise<string[]> {
    const seen: string[] = [];
    while (seen.length < count) {
      const event = await this.next();
      if (!event) break;
      seen.push(`${event.type} ${event.name ?? ""}`.trim());
    }
    return seen;
  }

  /** What has come of a line that never ended. */
  get unfinishedLine(): string {
    return this.#buffer;
  }

  close(): void {
    this.#abort();
  }
}

function eventOf(value: unknown): WatchedEvent {
  return {
    type: readString(value, "type") ?? "",
    name: readString(value, "object.metadata.name"),
    resourceVersion: readString(value, "object.metadata.resourceVersion"),
    object: readPath(value, "object"),
  };
}
