/** A request whose answer is taken as it comes. */
export interface StreamRequest {
  /** Path and query. */
  readonly get: string;
  /** Media type; missing for what the path gives by itself. */
  readonly accept?: string;
}

/** Told about one request, in this order: the start once, bytes any number of times, the end once. */
export interface StreamReader {
  onStart(status: number, headers: Readonly<Record<string, string>>): void;
  onBytes(bytes: Uint8Array): void;
  onEnd(end: StreamEnd): void;
}

/** Why an answer is over: it was all, it broke off in the middle, or the connection to the server was lost. */
export type StreamEnd = "complete" | "broken" | "disconnected";

/**
 * The state of the connection that all requests share.
 * - connecting: asked for, not there yet
 * - open: requests are answered
 * - waiting: it was lost, and is tried again in a while
 * - signedOut: the session is over; `reconnect` after signing in
 */
export type ConnectionState = (
  | { readonly phase: "connecting" | "open" | "signedOut" }
  | { readonly phase: "waiting"; readonly attempt: number; readonly retryAtMs: number }
) & {
  /** The name of the session it is made with, as far as a tab has said; empty after somebody signed out. */
  readonly session?: string;
};

/** Many answers over one connection. */
export interface Streams {
  readonly state: ConnectionState;
  /** Calls back with each new state until the returned function is called. */
  onState(listener: (state: ConnectionState) => void): () => void;
  /** Asks when the connection is open. Returns what ends it; the reader is told nothing after that. */
  open(request: StreamRequest, reader: StreamReader): () => void;
  /** Tries at once: after signing in, or when the network is back. */
  reconnect(): void;
  /** Says which session the browser has by now, empty for none: nothing goes on with the one before. */
  belongTo(session: string): void;
  close(): void;
}

/** Listeners of states. */
export class StateListeners {
  readonly #listeners = new Set<(state: ConnectionState) => void>();
  #state: ConnectionState = { phase: "connecting" };

  get state(): ConnectionState {
    return this.#state;
  }

  set(state: ConnectionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }

  add(listener: (state: ConnectionState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
