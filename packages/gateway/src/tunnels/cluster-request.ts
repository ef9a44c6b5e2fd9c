import { Readable } from "node:stream";

import { BowlineError, type Clock, type TransientMember } from "@bowline/core";
import type { KubeRequest, KubeResponse } from "@bowline/kube";
import type { AnswerHead, HeaderList, StreamHandler, TunnelStream } from "@bowline/protocol";

import type { TunnelRoute } from "../session/agent-session.ts";

/** The outcome of a request of the server's own client. */
export interface ClusterRequestResult {
  /** 0 when no answer came. */
  readonly status: number;
  readonly requestBytes: number;
  readonly answerBytes: number;
  /** Why it ended before it was complete. */
  readonly error?: BowlineError | undefined;
}

export interface ClusterRequestOptions {
  readonly request: KubeRequest;
  /** Sent beside those of the request. */
  readonly headers: HeaderList;
  readonly clock: Clock;
  readonly headersTimeoutMs: number;
  /** `Infinity` for none. */
  readonly bodyTimeoutMs: number;
  /** Called once, when nothing more will happen. */
  readonly onOver: (result: ClusterRequestResult) => void;
}

/** One request of the server's own client, and its answer. */
export class ClusterRequest implements StreamHandler, TransientMember {
  slot = -1;
  /** The head of the answer, whose body then streams. */
  readonly response: Promise<KubeResponse>;
  readonly #options: ClusterRequestOptions;
  readonly #answered = Promise.withResolvers<KubeResponse>();
  #stream: TunnelStream | undefined;
  #body: AnswerBody | undefined;
  #status = 0;
  #requestBytes = 0;
  #answerBytes = 0;
  #isOver = false;
  #cancelTimer = (): void => {};

  constructor(options: ClusterRequestOptions) {
    this.#options = options;
    this.response = this.#answered.promise;
    // A caller that waits for it is told; one that gave up before is not.
    this.response.catch(() => {});
    options.request.signal?.addEventListener("abort", this.#cancelled, { once: true });
  }

  /** Throws what the tunnel throws; nothing was sent then. */
  open(route: TunnelRoute): void {
    if (this.#isOver) return;
    const { request, headers } = this.#options;
    const body = request.body === undefined ? undefined : Buffer.from(request.body);
    const length = body === undefined ? [] : ["content-length", String(body.length)];
    const head = {
      method: request.method,
      path: request.path,
      headers: [...Object.entries(request.headers ?? {}).flat(), ...headers, ...length],
    };
    this.#stream = route.open(head, this, { hasBody: body !== undefined });
    if (body !== undefined) {
      this.#requestBytes = body.length;
      this.#stream.write(body);
      this.#stream.end();
    }
    this.#limit(this.#options.headersTimeoutMs, "The cluster took too long to begin its answer.");
  }

  /** Gives up, and tells the cluster. */
  fail(error: BowlineError): void {
    if (this.#isOver) return;
    this.#stream?.reset("cancelled");
    this.error(error);
  }

  headers({ status, headers }: AnswerHead): void {
    // 1xx answers only announce the real one.
    if (status < 200) return;
    this.#status = status;
    this.#body = new AnswerBody({
      read: () => this.#stream?.resume(),
      abandoned: () => this.fail(new BowlineError("Cancelled", "The answer is no longer wanted.")),
    });
    this.#heard();
    this.#answered.resolve({ status, headers: flatHeaders(headers), body: this.#body });
  }

  data(chunk: Buffer): boolean {
    this.#answerBytes += chunk.length;
    this.#heard();
    return this.#body?.push(chunk) ?? true;
  }

  end(): void {
    this.#over();
    this.#body?.complete();
  }

  error(error: BowlineError): void {
    this.#over(error);
    this.#answered.reject(error);
    this.#body?.destroy(error);
  }

  readonly #cancelled = (): void => {
    const { signal } = this.#options.request;
    if (signal !== undefined) this.fail(cancelledError(signal));
  };

  #heard(): void {
    this.#limit(this.#options.bodyTimeoutMs, "The cluster fell silent in the middle of its answer.");
  }

  #limit(ms: number, message: string): void {
    this.#cancelTimer();
    // A tunnel may be lost while the request is being sent.
    if (ms === Infinity || this.#isOver) return;
    this.#cancelTimer = this.#options.clock.after(ms, () => this.fail(new BowlineError("Timeout", message)));
  }

  #over(error?: BowlineError): void {
    this.#isOver = true;
    this.#cancelTimer();
    this.#options.request.signal?.removeEventListener("abort", this.#cancelled);
    this.#options.onOver({
      status: this.#status,
      requestBytes: this.#requestBytes,
      answerBytes: this.#answerBytes,
      error,
    });
  }
}

/** The error that an aborted signal ends a request with: its reason, if that already says what happened. */
export function cancelledError({ reason }: AbortSignal): BowlineError {
  if (reason instanceof BowlineError) return reason;
  return new BowlineError("Cancelled", "The request was cancelled.", { cause: reason });
}

function flatHeaders(list: readonly string[]): Record<string, string> {
  const flat: Record<string, string> = {};
  for (let at = 0; at + 1 < list.length; at += 2) {
    const name = (list[at] ?? "").toLowerCase();
    const value = list[at + 1] ?? "";
    flat[name] = flat[name] === undefined ? value : `${flat[name]}, ${value}`;
  }
  return flat;
}

export interface AnswerBodyOptions {
  /** More is wanted. */
  readonly read: () => void;
  /** The reader does not want the rest. */
  readonly abandoned: () => void;
}

/** The body of an answer as it comes out of a tunnel. */
export class AnswerBody extends Readable {
  readonly #options: AnswerBodyOptions;
  #isComplete = false;

  constructor(options: AnswerBodyOptions) {
    super();
    this.#options = options;
    // It may break before anybody listens; a later reader still gets the error from the stream's state.
    this.on("error", () => {});
  }

  complete(): void {
    this.#isComplete = true;
    this.push(null);
  }

  override _read(): void {
    this.#options.read();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (!this.#isComplete) this.#options.abandoned();
    callback(error);
  }
}
