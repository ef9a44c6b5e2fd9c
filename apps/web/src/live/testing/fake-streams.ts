import {
  StateListeners,
  type ConnectionState,
  type StreamEnd,
  type StreamReader,
  type StreamRequest,
  type Streams,
} from "../streams.ts";

/** Streams whose answers a test writes. */
export class FakeStreams implements Streams {
  readonly opened: FakeAnswer[] = [];
  readonly states = new StateListeners();

  get state(): ConnectionState {
    return this.states.state;
  }

  /** The answer to what was asked last. */
  get last(): FakeAnswer {
    const last = this.opened.at(-1);
    if (last === undefined) throw new Error("Nothing was asked.");
    return last;
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    return this.states.add(listener);
  }

  open(request: StreamRequest, reader: StreamReader): () => void {
    const answer = new FakeAnswer(request, reader);
    this.opened.push(answer);
    return () => void (answer.isClosed = true);
  }

  reconnect(): void {}
  belongTo(): void {}
  close(): void {}
}

export class FakeAnswer {
  readonly request: StreamRequest;
  readonly #reader: StreamReader;
  isClosed = false;

  constructor(request: StreamRequest, reader: StreamReader) {
    this.request = request;
    this.#reader = reader;
  }

  start(status: number, headers: Readonly<Record<string, string>> = {}): void {
    this.#reader.onStart(status, headers);
  }

  send(text: string): void {
    this.#reader.onBytes(new TextEncoder().encode(text));
  }

  end(end: StreamEnd): void {
    this.#reader.onEnd(end);
  }
}
