import type { PageClock } from "./page-clock.ts";
import {
  StateListeners,
  type ConnectionState,
  type StreamEnd,
  type StreamReader,
  type StreamRequest,
  type Streams,
} from "./streams.ts";

/** From a tab to the worker that has the connection. */
export type TabMessage =
  | { readonly type: "open"; readonly id: number; readonly request: StreamRequest }
  | { readonly type: "close"; readonly id: number }
  | { readonly type: "session"; readonly session: string }
  | { readonly type: "reconnect" | "alive" | "leave" };

/** From the worker to a tab. */
export type WorkerMessage =
  | { readonly type: "state"; readonly state: ConnectionState }
  | {
      readonly type: "start";
      readonly id: number;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly type: "bytes"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly type: "end"; readonly id: number; readonly end: StreamEnd };

/** One end of a `MessagePort`, by what it sends. */
export interface Port<Sent> extends EventTarget {
  postMessage(message: Sent): void;
  start(): void;
}

/** Nothing tells a worker that a tab is gone: a tab says that it is there, and timers of hidden tabs run each minute. */
const aliveEveryMs = 20_000;
const goneAfterMs = 150_000;

/** The requests of a tab, made by the worker that all tabs share. */
export class PortStreams implements Streams {
  readonly #port: Port<TabMessage>;
  readonly #clock: PageClock;
  readonly #readers = new Map<number, StreamReader>();
  readonly #states = new StateListeners();
  #lastId = 0;
  #cancelAlive = (): void => {};

  constructor(port: Port<TabMessage>, clock: PageClock) {
    this.#port = port;
    this.#clock = clock;
    listen(port, (message: WorkerMessage) => this.#receive(message));
    this.#sayAlive();
  }

  get state(): ConnectionState {
    return this.#states.state;
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    return this.#states.add(listener);
  }

  open(request: StreamRequest, reader: StreamReader): () => void {
    const id = ++this.#lastId;
    this.#readers.set(id, reader);
    this.#port.postMessage({ type: "open", id, request });
    return () => {
      if (this.#readers.delete(id)) this.#port.postMessage({ type: "close", id });
    };
  }

  reconnect(): void {
    this.#port.postMessage({ type: "reconnect" });
  }

  belongTo(session: string): void {
    this.#port.postMessage({ type: "session", session });
  }

  close(): void {
    this.#cancelAlive();
    this.#readers.clear();
    this.#port.postMessage({ type: "leave" });
  }

  #sayAlive(): void {
    this.#port.postMessage({ type: "alive" });
    this.#cancelAlive = this.#clock.after(aliveEveryMs, () => this.#sayAlive());
  }

  #receive(message: WorkerMessage): void {
    if (message.type === "state") {
      this.#states.set(message.state);
      return;
    }
    const reader = this.#readers.get(message.id);
    if (message.type === "start") reader?.onStart(message.status, message.headers);
    if (message.type === "bytes") reader?.onBytes(message.bytes);
    if (message.type === "end") {
      this.#readers.delete(message.id);
      reader?.onEnd(message.end);
    }
  }
}

/** The worker's end: makes the requests of one tab, until it leaves or has been silent for long. */
export class TabConnection {
  readonly #port: Port<WorkerMessage>;
  readonly #streams: Streams;
  readonly #clock: PageClock;
  readonly #closers = new Map<number, () => void>();
  readonly #stopStates: () => void;
  readonly #onGone: () => void;
  #cancelGone = (): void => {};

  constructor(
    port: Port<WorkerMessage>,
    { streams, clock, onGone }: { streams: Streams; clock: PageClock; onGone: () => void },
  ) {
    this.#port = port;
    this.#streams = streams;
    this.#clock = clock;
    this.#onGone = onGone;
    listen(port, (message: TabMessage) => this.#receive(message));
    this.#stopStates = streams.onState((state) => port.postMessage({ type: "state", state }));
    port.postMessage({ type: "state", state: streams.state });
    this.#armGone();
  }

  #receive(message: TabMessage): void {
    this.#armGone();
    if (message.type === "open") this.#open(message.id, message.request);
    if (message.type === "close") this.#end(message.id);
    if (message.type === "session") this.#streams.belongTo(message.session);
    if (message.type === "reconnect") this.#streams.reconnect();
    if (message.type === "leave") this.#leave();
  }

  #open(id: number, request: StreamRequest): void {
    const port = this.#port;
    const close = this.#streams.open(request, {
      onStart: (status, headers) => port.postMessage({ type: "start", id, status, headers }),
      onBytes: (bytes) => port.postMessage({ type: "bytes", id, bytes }),
      onEnd: (end) => {
        this.#closers.delete(id);
        port.postMessage({ type: "end", id, end });
      },
    });
    this.#closers.set(id, close);
  }

  #end(id: number): void {
    this.#closers.get(id)?.();
    this.#closers.delete(id);
  }

  #armGone(): void {
    this.#cancelGone();
    this.#cancelGone = this.#clock.after(goneAfterMs, () => this.#leave());
  }

  #leave(): void {
    this.#cancelGone();
    this.#stopStates();
    for (const close of this.#closers.values()) close();
    this.#closers.clear();
    this.#onGone();
  }
}

/** Both ends are of the same build: what comes is what the other's type says. */
function listen<Message extends TabMessage | WorkerMessage>(
  port: Port<Exclude<TabMessage | WorkerMessage, Message>>,
  receive: (message: Message) => void,
): void {
  port.addEventListener("message", (event) => {
    if (event instanceof MessageEvent) receive(event.data);
  });
  port.start();
}
