import { backoffDelayMs, type BackoffPolicy, type Random } from "@bowline/core";

import type { Failure } from "../live/failure.ts";
import type { PageClock } from "../live/page-clock.ts";
import type { ClusterLink, ClusterSocket } from "./cluster-socket.ts";
import {
  decodeMessage,
  encodeResize,
  encodeText,
  execChannels,
  execProtocols,
  readResult,
  type ExecResult,
} from "./exec-channels.ts";
import { execPath, type PodPlace } from "./pod-paths.ts";

/**
 * How a shell fares.
 * - connecting: asked for
 * - open: it runs
 * - waiting: the connection was lost; a new shell is tried
 * - exited: it ended by itself; another one only by hand
 * - noShell: the container has none
 * - refused: not allowed, not there, or not any more; another try only by hand
 */
export type ExecState =
  | { readonly phase: "connecting" | "open" | "noShell" }
  | { readonly phase: "waiting"; readonly retryAtMs: number; readonly failure: Failure | undefined }
  | { readonly phase: "exited"; readonly code: number }
  | {
      readonly phase: "refused";
      readonly failure: Pick<Failure, "status" | "message">;
      /** It was open before. */
      readonly hasRun: boolean;
    };

export interface ExecSessionOptions {
  readonly link: ClusterLink;
  readonly clock: PageClock;
  readonly random: Random;
  readonly place: PodPlace;
  readonly onOutput: (bytes: Uint8Array) => void;
  readonly onState: (state: ExecState) => void;
}

/** bash where there is one, else sh: found out inside of the container, so that it is one command. */
const shellCommand = [
  "sh",
  "-c",
  "TERM=xterm-256color; export TERM; command -v bash >/dev/null 2>&1 && exec bash; exec sh",
] as const;

const reconnecting: BackoffPolicy = { baseMs: 500, maxMs: 8_000, factor: 2, jitter: 0.5 };
const noProgram = /executable file not found|no such file or directory/iu;

/** A shell in a container. After a break it is a new one: what ran in the old one is gone. */
export class ExecSession {
  readonly #options: ExecSessionOptions;
  #socket: ClusterSocket | undefined;
  #state: ExecState = { phase: "connecting" };
  #size: { readonly columns: number; readonly rows: number } | undefined;
  #attempt = 0;
  /** Since somebody asked for a shell: it may have been lost, and refused only when it was opened again. */
  #hasRun = false;
  #cancelRetry = (): void => {};
  #isClosed = false;

  constructor(options: ExecSessionOptions) {
    this.#options = options;
    this.#open();
  }

  get state(): ExecState {
    return this.#state;
  }

  send(text: string): void {
    if (this.#state.phase === "open") this.#socket?.send(encodeText(execChannels.input, text));
  }

  resize(columns: number, rows: number): void {
    this.#size = { columns, rows };
    if (this.#state.phase === "open") this.#socket?.send(encodeResize(columns, rows));
  }

  /** Tries again at once. */
  restart(): void {
    if (this.#isClosed || this.#socket !== undefined) return;
    this.#cancelRetry();
    this.#attempt = 0;
    this.#hasRun = false;
    this.#open();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRetry();
    this.#socket?.close(1000);
  }

  #open(): void {
    const { link, place } = this.#options;
    this.#set({ phase: "connecting" });
    const path = execPath(place, shellCommand);
    const socket = link.open(path, execProtocols);
    this.#socket = socket;
    let hasOpened = false;
    let result: ExecResult | undefined;
    socket.addEventListener("open", () => {
      hasOpened = true;
      this.#hasRun = true;
    });
    socket.addEventListener("message", (event) => {
      if (this.#isClosed || !(event instanceof MessageEvent) || !(event.data instanceof ArrayBuffer)) return;
      result = this.#receive(event.data) ?? result;
    });
    socket.addEventListener("close", () => {
      this.#socket = undefined;
      if (this.#isClosed) return;
      if (result !== undefined) this.#ended(result);
      else void this.#lost(path, hasOpened);
    });
  }

  #receive(data: ArrayBuffer): ExecResult | undefined {
    const message = decodeMessage(data);
    if (message === undefined) return undefined;
    const { channel, bytes } = message;
    if (channel === execChannels.status) {
      return bytes.length === 0 ? undefined : readResult(new TextDecoder().decode(bytes));
    }
    if (channel !== execChannels.output && channel !== execChannels.error) return undefined;
    // The first message is empty: it says that the process runs.
    if (this.#state.phase !== "open") this.#opened();
    if (bytes.length > 0) this.#options.onOutput(bytes);
    return undefined;
  }

  #opened(): void {
    this.#attempt = 0;
    this.#set({ phase: "open" });
    if (this.#size !== undefined) this.resize(this.#size.columns, this.#size.rows);
  }

  #ended(result: ExecResult): void {
    if (result.type === "exit") this.#set({ phase: "exited", code: result.code });
    else if (noProgram.test(result.message)) this.#set({ phase: "noShell" });
    else this.#set({ phase: "refused", failure: { status: 500, message: result.message }, hasRun: false });
  }

  /** A connection that ends without a word: a plain request for the same is told why, if somebody has ended it. */
  async #lost(path: string, hasOpened: boolean): Promise<void> {
    const { link, clock, random } = this.#options;
    const failure = await link.whyRefused(path);
    if (this.#isClosed || this.#socket !== undefined) return;
    const isFinal = failure !== undefined && !failure.isPassing;
    if (isFinal) {
      this.#set({ phase: "refused", failure, hasRun: this.#hasRun });
      return;
    }
    if (hasOpened) this.#attempt = Math.min(this.#attempt, 1);
    const delayMs = backoffDelayMs(this.#attempt, reconnecting, random);
    this.#attempt += 1;
    this.#set({ phase: "waiting", retryAtMs: clock.monotonicMs() + delayMs, failure });
    this.#cancelRetry = clock.after(delayMs, () => this.#open());
  }

  #set(state: ExecState): void {
    this.#state = state;
    this.#options.onState(state);
  }
}
