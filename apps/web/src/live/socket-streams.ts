import { backoffDelayMs, errorCodes, isRecord, type BackoffPolicy, type Random } from "@bowline/core";

import type { PageClock } from "./page-clock.ts";
import {
  StateListeners,
  type ConnectionState,
  type StreamEnd,
  type StreamReader,
  type StreamRequest,
  type Streams,
} from "./streams.ts";

/** As much of a WebSocket as is needed. */
export interface StreamSocket extends EventTarget {
  binaryType: BinaryType;
  send(data: string): void;
  close(): void;
}

export interface SocketStreamsOptions {
  readonly connect: () => StreamSocket;
  readonly clock: PageClock;
  readonly random: Random;
}

interface OpenStream {
  readonly request: StreamRequest;
  readonly reader: StreamReader;
  /** Bytes that were taken and not yet credited again. */
  taken: number;
  hasStarted: boolean;
}

const reconnecting: BackoffPolicy = { baseMs: 500, maxMs: 8_000, factor: 2, jitter: 0.5 };
/** The server sends this much ahead of what was taken; it is given back in halves. */
const creditStepBytes = 128 * 1024;
/** Of `/api/v1/stream`: the session is over. */
const signedOutCode = 4401;
const idBytes = 4;

/**
 * Many GET requests over one WebSocket, as `docs/reference/stream.md` describes. When the socket is lost all of them
 * end as disconnected, and whoever still wants an answer asks again: only they know what they have seen.
 */
export class SocketStreams implements Streams {
  readonly #options: SocketStreamsOptions;
  readonly #open = new Map<number, OpenStream>();
  readonly #states = new StateListeners();
  #socket: StreamSocket | undefined;
  #lastId = 0;
  #attempt = 0;
  #cancelRetry = (): void => {};
  #isClosed = false;
  #session: string | undefined;

  /** Connects when something is asked for the first time. */
  constructor(options: SocketStreamsOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#states.state;
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    return this.#states.add(listener);
  }

  open(request: StreamRequest, reader: StreamReader): () => void {
    const id = ++this.#lastId;
    this.#open.set(id, { request, reader, taken: 0, hasStarted: false });
    if (this.#socket === undefined && this.state.phase === "connecting") this.#connect();
    if (this.state.phase === "open") this.#ask(id, request);
    return () => {
      if (this.#open.delete(id) && this.state.phase === "open") this.#send({ id, end: true });
    };
  }

  reconnect(): void {
    if (this.#isClosed || this.state.phase === "open" || this.state.phase === "connecting") return;
    this.#cancelRetry();
    this.#attempt = 0;
    this.#connect();
  }

  belongTo(session: string): void {
    if (this.#isClosed || this.#session === session) return;
    const isOther = this.#session !== undefined;
    this.#session = session;
    if (session === "") this.#signOut();
    else if (isOther) this.#restart();
    else this.#setState(this.state);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRetry();
    this.#open.clear();
    this.#socket?.close();
  }

  /** What was begun with another session ends, and is asked for again with the new one. */
  #restart(): void {
    const before = this.#socket;
    this.#cancelRetry();
    this.#attempt = 0;
    this.#connect();
    before?.close();
    this.#disconnect();
  }

  #signOut(): void {
    const before = this.#socket;
    this.#cancelRetry();
    this.#socket = undefined;
    this.#setState({ phase: "signedOut" });
    before?.close();
    this.#disconnect();
  }

  #setState(state: ConnectionState): void {
    this.#states.set({ ...state, ...(this.#session === undefined ? {} : { session: this.#session }) });
  }

  #connect(): void {
    this.#setState({ phase: "connecting" });
    const socket = this.#options.connect();
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      if (this.#socket !== socket) return;
      this.#attempt = 0;
      this.#setState({ phase: "open" });
      for (const [id, { request }] of this.#open) this.#ask(id, request);
    });
    socket.addEventListener("message", (event) => {
      if (this.#socket === socket && event instanceof MessageEvent) this.#receive(event.data);
    });
    socket.addEventListener("close", (event) => {
      if (this.#socket === socket) this.#lost("code" in event ? event.code : undefined);
    });
  }

  #lost(code: unknown): void {
    this.#socket = undefined;
    if (this.#isClosed) return;
    if (code === signedOutCode) {
      this.#setState({ phase: "signedOut" });
    } else {
      const { clock, random } = this.#options;
      const delayMs = backoffDelayMs(this.#attempt, reconnecting, random);
      this.#attempt += 1;
      this.#setState({
        phase: "waiting",
        attempt: this.#attempt,
        retryAtMs: clock.monotonicMs() + delayMs,
      });
      this.#cancelRetry = clock.after(delayMs, () => this.#connect());
    }
    this.#disconnect();
  }

  /** Those that had not been answered are asked as soon as there is a connection; the others have to say from where. */
  #disconnect(): void {
    for (const [id, { hasStarted }] of this.#open) if (hasStarted) this.#end(id, "disconnected");
  }

  #ask(id: number, { get, accept }: StreamRequest): void {
    this.#send({ id, get, ...(accept === undefined ? {} : { accept }) });
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #receive(data: unknown): void {
    if (data instanceof ArrayBuffer) this.#receiveBytes(data);
    else if (typeof data === "string") this.#receiveControl(JSON.parse(data));
  }

  #receiveBytes(data: ArrayBuffer): void {
    const id = new DataView(data).getUint32(0);
    const stream = this.#open.get(id);
    if (stream === undefined) return;
    const bytes = new Uint8Array(data, idBytes);
    stream.reader.onBytes(bytes);
    stream.taken += bytes.length;
    if (stream.taken < creditStepBytes || !this.#open.has(id)) return;
    this.#send({ id, credit: stream.taken });
    stream.taken = 0;
  }

  #receiveControl(message: unknown): void {
    if (!isRecord(message) || typeof message["id"] !== "number") return;
    const { id, status, headers, end, error } = message;
    const stream = this.#open.get(id);
    if (stream === undefined) return;
    if (typeof status === "number") {
      stream.hasStarted = true;
      stream.reader.onStart(status, textHeaders(headers));
    }
    if (error !== undefined && !stream.hasStarted) this.#refuse(id, error);
    else if (error !== undefined) this.#end(id, "broken");
    else if (end === true) this.#end(id, "complete");
  }

  /** What was refused before it was a request is told as if it had been answered so. */
  #refuse(id: number, error: unknown): void {
    const reader = this.#open.get(id)?.reader;
    const code = isRecord(error) ? error["code"] : undefined;
    const known = Object.entries(errorCodes).find(([name]) => name === code)?.[1].httpStatus;
    reader?.onStart(known ?? 500, { "content-type": "application/json" });
    reader?.onBytes(new TextEncoder().encode(JSON.stringify({ error })));
    this.#end(id, "complete");
  }

  #end(id: number, end: StreamEnd): void {
    const stream = this.#open.get(id);
    this.#open.delete(id);
    stream?.reader.onEnd(end);
  }
}

function textHeaders(headers: unknown): Record<string, string> {
  const entries = isRecord(headers) ? Object.entries(headers) : [];
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
