import { Readable, pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { BowlineError } from "@bowline/core";
import type { Dispatcher } from "undici";
import type { KubeResponse } from "../transport.ts";

interface DispatchContext {
  readonly signal: AbortSignal | undefined;
  /** Turns what undici reports into what a caller should see, before the answer and in the middle of its body alike. */
  readonly toError: (error: Error) => Error;
}

/** Sends one request; resolves with the head of the answer, whose body then streams with backpressure. */
export function dispatchStreaming(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  context: DispatchContext,
): Promise<KubeResponse> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(options, new StreamingHandler(context, resolve, reject));
  });
}

/** The body of an answer. Destroying it before its end cancels the request on the other side. */
class ResponseStream extends Readable {
  readonly #controller: Dispatcher.DispatchController;
  #complete = false;

  constructor(controller: Dispatcher.DispatchController) {
    super();
    this.#controller = controller;
    // A connection may break before anybody listens; whoever reads later still gets the error from the stream's state.
    this.on("error", () => undefined);
  }

  complete(): void {
    this.#complete = true;
    this.push(null);
  }

  override _read(): void {
    this.#controller.resume();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (!this.#complete) this.#controller.abort(error ?? new Error("The answer is no longer wanted."));
    callback(error);
  }
}

class StreamingHandler implements Dispatcher.DispatchHandler {
  readonly #context: DispatchContext;
  readonly #resolve: (response: KubeResponse) => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #stream: ResponseStream | undefined;

  constructor(
    context: DispatchContext,
    resolve: (response: KubeResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#context = context;
    this.#resolve = resolve;
    this.#reject = reject;
    context.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => {
    const reason = new Error("The request was cancelled.", { cause: this.#context.signal?.reason });
    if (this.#stream !== undefined) return void this.#stream.destroy(this.#context.toError(reason));
    this.#controller?.abort(reason);
    // Without a controller the request still waits for a socket, which may take long to connect.
    return this.#reject(this.#context.toError(reason));
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#context.signal?.aborted === true) this.#onAbort();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // 1xx answers only announce the real one.
    if (status < 200) return;
    const stream = new ResponseStream(controller);
    stream.once("close", () => this.#stopListening());
    this.#stream = stream;
    this.#resolve({ status, headers: flatHeaders(headers), body: stream });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stream?.push(chunk) === false) controller.pause();
  }

  onResponseEnd(): void {
    this.#stream?.complete();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#stopListening();
    const shown = this.#context.toError(error);
    if (this.#stream === undefined) this.#reject(shown);
    else this.#stream.destroy(shown);
  }

  #stopListening(): void {
    this.#context.signal?.removeEventListener("abort", this.#onAbort);
  }
}

function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}

/** The same answer with its body decompressed, piece by piece: nothing is held, so a zip bomb meets the reader's limit. */
export function gunzipped(response: KubeResponse): KubeResponse {
  const { "content-encoding": _encoding, "content-length": _length, ...headers } = response.headers;
  const plain = pipeline(response.body, createGunzip(), () => undefined);
  const body = Readable.from(chunks(plain, response.body), { objectMode: false });
  // A reader that leaves before its first chunk never starts the generator.
  body.once("close", () => plain.destroy());
  return { ...response, headers, body };
}

async function* chunks(plain: Readable, compressed: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    if (compressed.errored instanceof BowlineError) throw compressed.errored;
    throw new BowlineError(
      "ResponseInvalid",
      "The API server sent a compressed answer that cannot be read.",
      {
        cause: error,
      },
    );
  }
}
