import { request, type Agent, type ClientRequest, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

import { BowlineError, type TransientMember } from "@bowline/core";
import type { Credential, Credentials } from "@bowline/kube";
import type { HeaderList, RequestHead, StreamHandler, TunnelStream } from "@bowline/protocol";

import type { ApiServerSockets } from "./api-server-sockets.ts";
import { requestHeaders, trailerPairs } from "./request-headers.ts";
import { isBroken, upstreamFailure } from "./upstream-failure.ts";

/** The surroundings of a request: the way to the API server, and who is told what passes. */
export interface UpstreamHost {
  readonly sockets: ApiServerSockets;
  readonly credentials: Credentials;
  sentBytes(count: number): void;
  answeredBytes(count: number): void;
  /** Called once, when nothing of it is left. */
  over(request: UpstreamRequest): void;
}

export interface UpstreamRequestOptions {
  readonly stream: TunnelStream;
  readonly head: RequestHead;
  readonly hasBody: boolean;
  readonly host: UpstreamHost;
}

/** The most a head may have; what the tunnel can carry. */
const maxHeaderSize = 128 * 1024;

/** Requests that may be sent again when a kept socket turns out to be closed: they change nothing. */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Several kept sockets may have been closed at once, when the API server restarted. */
const maxBrokenSockets = 3;

/**
 * One stream of the tunnel on its way to the API server, and the answer back.
 *
 * States:
 * - `preparing`: waits for a credential and a pool; nothing of the request is sent
 * - `asking`: the request is sent, or being sent; the head of the answer has not come
 * - `answering`: the head of the answer went into the tunnel, the body follows
 * - `upgraded`: the socket speaks another protocol; bytes go both ways
 * - `over`: everything is passed on, or was given up
 */
export class UpstreamRequest implements StreamHandler, TransientMember {
  slot = -1;
  readonly #options: UpstreamRequestOptions;
  #state: "preparing" | "asking" | "answering" | "upgraded" | "over" = "preparing";
  #outgoing: ClientRequest | undefined;
  /** The source of the answer. */
  #source: IncomingMessage | Duplex | undefined;
  /** Where the bytes of the request go; undefined while they have to wait. */
  #sink: ClientRequest | Duplex | undefined;
  /** The one chunk that may come before there is somewhere to put it. */
  #early: Buffer | undefined;
  /** Set when the other side has sent everything. */
  #trailers: HeaderList | undefined;
  #triedAgain = false;
  #brokenSockets = 0;

  constructor(options: UpstreamRequestOptions) {
    this.#options = options;
    void this.#prepare();
  }

  data(chunk: Buffer): boolean {
    this.#options.host.sentBytes(chunk.length);
    if (this.#sink !== undefined) return this.#sink.write(chunk);
    this.#early = chunk;
    return false;
  }

  end(trailers: HeaderList): void {
    this.#trailers = trailers;
    if (this.#sink !== undefined) this.#endSink(this.#sink, trailers);
  }

  drain(): void {
    this.#source?.resume();
  }

  /** The other side gave up, or the tunnel is lost. */
  error(): void {
    this.#finish();
  }

  /** Ends it for a reason of the agent's own. */
  cancel(message: string): void {
    if (this.#state === "over") return;
    this.#options.stream.reset("cancelled", message);
    this.#finish();
  }

  async #prepare(used?: Credential): Promise<void> {
    const { credentials, sockets } = this.#options.host;
    try {
      const credential = used ?? (await credentials.current());
      const agent = await sockets.agent();
      if (this.#state === "preparing") this.#ask(agent, credential);
    } catch (error) {
      this.#fail(error);
    }
  }

  #ask(agent: Agent, credential: Credential): void {
    const { stream, head, hasBody, host } = this.#options;
    const { sockets } = host;
    const outgoing = request({
      ...sockets.target,
      agent,
      method: head.method,
      path: sockets.basePath + head.path,
      headers: requestHeaders(head, {
        host: sockets.place,
        authorization: credential.authorization,
        hasBody,
      }),
      maxHeaderSize,
    });
    this.#outgoing = outgoing;
    this.#state = "asking";
    outgoing.on("response", (answer) => this.#answered(answer, credential));
    outgoing.on("error", (error) => this.#broke(outgoing, error));
    outgoing.on("information", ({ statusCode, rawHeaders }) => {
      this.#sendHead(statusCode, rawHeaders);
    });
    outgoing.on("upgrade", (answer, socket, early) => this.#upgraded(answer, socket, early));
    if (!hasBody || head.upgrade !== undefined) return void outgoing.end();
    outgoing.on("drain", () => stream.resume());
    // An API server that answers without having seen the body can do so while it is still being made.
    if (this.#early === undefined) outgoing.flushHeaders();
    this.#pour(outgoing);
  }

  /** There is somewhere to put what has come, and what comes from now on. */
  #pour(sink: ClientRequest | Duplex): void {
    this.#sink = sink;
    const early = this.#early;
    this.#early = undefined;
    if (early !== undefined && sink.write(early)) this.#options.stream.resume();
    if (this.#trailers !== undefined) this.#endSink(sink, this.#trailers);
  }

  #endSink(sink: ClientRequest | Duplex, trailers: HeaderList): void {
    if (trailers.length > 0 && "addTrailers" in sink) sink.addTrailers(trailerPairs(trailers));
    sink.end();
  }

  #answered(answer: IncomingMessage, credential: Credential): void {
    if (this.#state !== "asking") return void answer.destroy();
    if (answer.statusCode === 401 && !this.#triedAgain)
      return void this.#replaceCredential(answer, credential);
    this.#passOn(answer);
  }

  #passOn(answer: IncomingMessage): void {
    const { stream, head, host } = this.#options;
    if (!this.#sendHead(answer.statusCode ?? 0, answer.rawHeaders)) return;
    this.#state = "answering";
    this.#source = answer;
    // A client that asked for another protocol and does not get it has sent a request without a body.
    if (head.upgrade !== undefined) stream.discard();
    answer.on("data", (chunk: Buffer) => {
      host.answeredBytes(chunk.length);
      if (!stream.write(chunk)) answer.pause();
    });
    answer.on("end", () => this.#complete(answer.rawTrailers));
    answer.on("error", (error) => this.#fail(error));
  }

  #complete(trailers: HeaderList): void {
    if (this.#state === "over") return;
    const { stream } = this.#options;
    // Of a request that is still being sent, the rest is not needed.
    stream.discard();
    try {
      stream.end(trailers);
    } catch (error) {
      // Trailers may be too large for the tunnel.
      return this.#fail(error);
    }
    this.#finish();
  }

  /** The API server does not accept the credential: where there is a newer one, it is tried, once. */
  async #replaceCredential(refusal: IncomingMessage, used: Credential): Promise<void> {
    const { host, hasBody, head } = this.#options;
    const canAskAgain = !hasBody || head.upgrade !== undefined;
    this.#triedAgain = true;
    // Without a listener, a connection that breaks meanwhile would take the process with it.
    refusal.on("error", (error) => this.#fail(error));
    try {
      const renewal = host.credentials.replace(used);
      // The body is gone; whoever asks next has the newer credential.
      const renewed = canAskAgain ? await renewal : void renewal.catch(() => {});
      if (this.#state !== "asking") return;
      if (renewed === undefined) return this.#passOn(refusal);
      await host.sockets.renew();
      if (this.#state !== "asking") return;
      refusal.resume();
      this.#askAgain(renewed);
    } catch {
      // Without a newer credential, what the API server said is what there is to say.
      if (this.#state === "asking") this.#passOn(refusal);
    }
  }

  #askAgain(credential?: Credential): void {
    this.#outgoing = undefined;
    this.#state = "preparing";
    void this.#prepare(credential);
  }

  #upgraded(answer: IncomingMessage, socket: Duplex, early: Buffer): void {
    const { stream, head, host } = this.#options;
    this.#source = socket;
    socket.on("error", (error) => this.#fail(error));
    if (this.#state !== "asking") return void socket.destroy();
    if (head.upgrade === undefined) return this.#fail(new Error("It changed to a protocol nobody asked for"));
    if (!this.#sendHead(101, answer.rawHeaders)) return;
    this.#state = "upgraded";
    // A side that has ended still listens: that is how some protocols say that a request is complete.
    socket.allowHalfOpen = true;
    const pass = (chunk: Buffer): void => {
      host.answeredBytes(chunk.length);
      if (!stream.write(chunk)) socket.pause();
    };
    if (early.length > 0) pass(early);
    socket.on("data", pass);
    socket.on("drain", () => stream.resume());
    socket.on("end", () => stream.end());
    socket.on("close", () => this.#closedByCluster(socket));
    this.#pour(socket);
  }

  #closedByCluster(socket: Duplex): void {
    if (this.#state === "over") return;
    if (!socket.readableEnded) return this.#fail(new Error("The connection was closed"));
    this.#options.stream.discard();
    this.#finish();
  }

  #broke(outgoing: ClientRequest, error: Error): void {
    // An earlier attempt has nothing to say any more. And whoever answers early may close the connection on the rest of
    // the request; whether the answer is complete, the answer itself will tell.
    if (outgoing !== this.#outgoing || this.#state === "answering") return;
    const { head, hasBody } = this.#options;
    const canAskAgain =
      this.#state === "asking" &&
      outgoing.reusedSocket &&
      isBroken(error) &&
      safeMethods.has(head.method) &&
      !hasBody &&
      // A program that `exec` began must not run twice, though it is begun with GET.
      head.upgrade === undefined &&
      this.#brokenSockets < maxBrokenSockets;
    if (!canAskAgain) return this.#fail(error);
    this.#brokenSockets += 1;
    this.#askAgain();
  }

  /** False when the head cannot be sent; it is over then. */
  #sendHead(status: number, headers: HeaderList): boolean {
    try {
      this.#options.stream.sendHeaders({ status, headers });
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  #fail(thrown: unknown): void {
    if (this.#state === "over") return;
    const error = thrown instanceof Error ? thrown : BowlineError.from(thrown);
    const { reason, message } = upstreamFailure(error, this.#options.host.sockets.place);
    this.#options.stream.reset(reason, message);
    this.#finish();
  }

  #finish(): void {
    if (this.#state === "over") return;
    const isComplete = this.#state === "answering" && this.#outgoing?.writableEnded === true;
    this.#state = "over";
    this.#early = undefined;
    this.#sink = undefined;
    // A request that was sent, with an answer that was read to its end, leaves a socket for the next one.
    if (!isComplete || this.#source?.readableEnded !== true) this.#destroy();
    this.#options.host.over(this);
  }

  #destroy(): void {
    this.#outgoing?.destroy();
    this.#source?.destroy();
  }
}
