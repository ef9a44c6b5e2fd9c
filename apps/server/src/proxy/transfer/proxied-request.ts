import type { IncomingMessage, ServerResponse } from "node:http";

import { BowlineError, type TransientMember } from "@bowline/core";
import type { AnswerHead, HeaderList, StreamHandler, TunnelStream } from "@bowline/protocol";

import type { TunnelRoute } from "@bowline/gateway";
import { breakOff } from "../../http/error-handler.ts";
import type { UpgradeRequest } from "../../http/upgrades.ts";
import { answerHeaders, answerTrailers } from "../answer/answer-headers.ts";
import type { AdmittedRequest } from "../admission/admit-request.ts";
import { tokensOf } from "../request/request-headers.ts";
import { AnswerWriter } from "./answer-writer.ts";
import { RequestBody } from "./request-body.ts";
import { UpgradedSocket } from "./upgraded-socket.ts";

export interface ProxiedRequestOptions {
  readonly admitted: AdmittedRequest;
  /** Headers that the cluster is sent. */
  readonly headers: HeaderList;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upgrade: UpgradeRequest | undefined;
  readonly host: RequestHost;
  /** Gives back what was taken of the limits. */
  readonly release: () => void;
}

/** The outcome of a request that was sent. */
export interface TransferResult {
  /** 0 when no answer came. */
  readonly status: number;
  readonly requestBytes: number;
  readonly answerBytes: number;
  readonly durationMs: number;
  /** Of an upgraded connection, which has a record for each. */
  readonly phase?: "start" | "end" | undefined;
  /** Why it ended before it was complete. */
  readonly message?: string | undefined;
  /** It was the client that ended it. */
  readonly clientLeft?: boolean | undefined;
}

/** The surroundings of a request: the proxy that it belongs to. */
export interface RequestHost {
  monotonicMs(): number;
  /** Told of the bytes of bodies, as they pass. */
  readonly bytesPassed: (count: number) => void;
  /** How long the head of an answer may take. */
  readonly answerTimeoutMs: number;
  /** The agent has never begun it: another way, or an error. */
  routeAgain(cluster: string): Promise<TunnelRoute>;
  /** Answers in place of the cluster; returns the status. */
  answerError(proxied: ProxiedRequest, error: BowlineError): number;
  upgraded(proxied: ProxiedRequest, result: TransferResult): void;
  /** Called once, when client and tunnel are both done with it. */
  ended(proxied: ProxiedRequest, result: TransferResult): void;
}

const keepAliveMs = 30_000;

/**
 * One request on its way through a tunnel, and its answer back.
 *
 * States:
 * - `waiting`: sent, or being sent; the head of the answer has not come
 * - `answering`: the head went to the client, the body follows
 * - `upgraded`: the connection speaks another protocol; bytes go both ways
 * - `answered`: everything went to the client, or was given up
 * - `over`: the client's side is closed too; it has been reported
 */
export class ProxiedRequest implements StreamHandler, TransientMember {
  readonly admitted: AdmittedRequest;
  readonly response: ServerResponse;
  readonly release: () => void;
  slot = -1;
  readonly #options: ProxiedRequestOptions;
  readonly #writer: AnswerWriter;
  #state: "waiting" | "answering" | "upgraded" | "answered" | "over" = "waiting";
  #stream: TunnelStream | undefined;
  #body: RequestBody | undefined;
  #upgraded: UpgradedSocket | undefined;
  #status = 0;
  #message: string | undefined;
  #listensForDrain = false;
  #isSecondTry = false;
  /** Since when the cluster has had all it needs to answer. */
  #waitingSinceMs = Infinity;

  constructor(options: ProxiedRequestOptions) {
    this.#options = options;
    this.admitted = options.admitted;
    this.response = options.response;
    this.release = options.release;
    this.#writer = new AnswerWriter(options.response);
  }

  /** Whether it lasts until somebody ends it. */
  get isStream(): boolean {
    return this.admitted.request.isStream || this.admitted.upgrade !== undefined;
  }

  /** Throws what the tunnel throws when it takes no more streams; nothing has happened then. */
  open(route: TunnelRoute): void {
    const { request, response, upgrade, headers, admitted, host } = this.#options;
    const hasBody = upgrade !== undefined || hasBodyToSend(request);
    const method = request.method ?? "GET";
    const head = { method, path: admitted.target.path, headers, upgrade: admitted.upgrade };
    this.#stream = route.open(head, this, { hasBody });
    if (this.#isSecondTry) return this.#body?.moveTo(this.#stream);
    (upgrade?.socket ?? response).once("close", () => this.#closed());
    // Nobody would notice that a client has vanished while there is nothing to send to it.
    if (this.isStream) request.socket.setKeepAlive(true, keepAliveMs);
    if (hasBody && upgrade === undefined) {
      this.#body = new RequestBody(request, this.#stream, {
        passed: host.bytesPassed,
        sent: () => void (this.#waitingSinceMs = host.monotonicMs()),
      });
    } else {
      this.#waitingSinceMs = admitted.startedMs;
    }
  }

  headers(head: AnswerHead): void {
    const { status } = head;
    this.#body?.settle();
    if (status === 101) return this.#switchProtocols(head);
    if (status < 200) return this.#passInterim(head);
    if (status > 599) throw new BowlineError("ResponseInvalid", `No answer has the status ${status}.`);
    this.#writer.begin(status, head.headers, this.#context());
    this.#state = "answering";
    this.#status = status;
    if (this.#options.upgrade !== undefined) this.#stayInProtocol(this.#options.upgrade);
  }

  data(chunk: Buffer): boolean {
    this.#options.host.bytesPassed(chunk.length);
    const hasRoom = this.#upgraded?.write(chunk) ?? this.#writer.write(chunk);
    if (!hasRoom) this.#listenForDrain();
    return hasRoom;
  }

  end(trailers: HeaderList): void {
    if (this.#upgraded !== undefined) return this.#upgraded.end();
    this.#writer.end(trailers);
    this.#state = "answered";
    if (this.#body === undefined || this.#options.request.readableEnded) return;
    this.#stream?.reset("cancelled", "The answer was complete before the request was.");
    this.#body.discardRest();
  }

  drain(): void {
    this.#upgraded?.resume();
    this.#body?.resume();
  }

  error(error: BowlineError): void {
    const neverBegun = error.details?.["reset"] === "refused" && this.#state === "waiting";
    if (!neverBegun || this.#isSecondTry || this.#body?.canMove === false) return this.#giveUp(error);
    this.#isSecondTry = true;
    this.#body?.hold();
    void this.#openAgain();
  }

  /** Ends it for a reason of this server's: an error when the answer has not begun, else a broken answer. */
  cancel(error: BowlineError): void {
    this.#stream?.reset("cancelled", error.message);
    // A client that does not read what it has been sent is not waited for.
    if (this.#state === "answered") this.#breakOff(error);
    else this.#giveUp(error);
  }

  /** Ends a watch as the API server does after its time: the client asks again, perhaps elsewhere. */
  endWatch(): void {
    if (this.#state !== "answering" || this.admitted.request.verb !== "watch") return;
    this.#stream?.reset("cancelled", "The server is stopping.");
    this.#state = "answered";
    this.response.end();
  }

  /** Looks whether something takes too long. */
  check(nowMs: number): void {
    const { host, request } = this.#options;
    const { answerTimeoutMs } = host;
    // All has come, and the end of it waits for a cluster that does not read.
    if (this.#waitingSinceMs === Infinity && request.complete) this.#waitingSinceMs = nowMs;
    // How long a program in a pod thinks about its answer is not for the API server to say either. Whether it speaks
    // another protocol, it need not think about; and who waits for that is not seen to go away.
    const mayThink = this.admitted.request.subresource === "proxy" && this.admitted.upgrade === undefined;
    const isLimited = this.#state === "waiting" && !mayThink;
    if (isLimited && nowMs - this.#waitingSinceMs > answerTimeoutMs) {
      const seconds = Math.round(answerTimeoutMs / 1_000);
      return this.cancel(new BowlineError("Timeout", `There was no answer within ${seconds} s.`));
    }
    const overdue = this.#upgraded?.overdue(nowMs);
    if (overdue !== undefined) this.cancel(new BowlineError("Timeout", overdue));
  }

  #context(): { readonly requestId: string; readonly prefix: string } {
    const { requestId, target } = this.admitted;
    return { requestId, prefix: `/clusters/${target.cluster}` };
  }

  #passInterim({ status, headers }: AnswerHead): void {
    const { request, upgrade } = this.#options;
    // Whether to go on with the body is something that client and server have settled already.
    if (status === 100 || upgrade !== undefined || request.httpVersionMinor === 0) return;
    this.response.writeInformation(status, answerTrailers(headers).flat());
  }

  #switchProtocols({ headers }: AnswerHead): void {
    const { upgrade, host } = this.#options;
    const stream = this.#stream;
    if (upgrade === undefined || stream === undefined) {
      throw new BowlineError(
        "ProtocolViolation",
        "It wants to change a protocol that nobody asked to change.",
      );
    }
    const head = [...this.#upgradeHead(headers), ...answerHeaders(headers, this.#context()).headers];
    this.#state = "upgraded";
    this.#status = 101;
    this.response.detachSocket(this.#options.request.socket);
    this.#upgraded = new UpgradedSocket(upgrade.socket, stream, host.bytesPassed);
    this.#upgraded.start(head, upgrade.head);
    host.upgraded(this, { ...this.#result(), phase: "start" });
  }

  /** A client that asked for another protocol and does not get it has sent a request without a body. */
  #stayInProtocol({ socket }: UpgradeRequest): void {
    this.#stream?.end();
    // Bytes of the other protocol are for nobody; behind them comes the news that the client has gone.
    socket.once("end", () => socket.destroy());
    socket.resume();
  }

  #upgradeHead(headers: HeaderList): string[] {
    const index = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === "upgrade");
    const asked = this.admitted.upgrade ?? "";
    const chosen = headers[index + 1] ?? asked;
    if (index !== -1 && !tokensOf(asked).includes(chosen.toLowerCase())) {
      throw new BowlineError("ProtocolViolation", "It changes to another protocol than was asked for.");
    }
    return ["Connection", "Upgrade", "Upgrade", index === -1 ? asked : chosen];
  }

  #listenForDrain(): void {
    if (this.#listensForDrain || this.#upgraded !== undefined) return;
    this.#listensForDrain = true;
    // After an upgrade request, Node does not tell the response about its socket any more.
    const source = this.#options.upgrade?.socket ?? this.response;
    source.on("drain", () => this.#stream?.resume());
  }

  async #openAgain(): Promise<void> {
    try {
      const route = await this.#options.host.routeAgain(this.admitted.target.cluster);
      if (this.#state === "waiting") this.open(route);
    } catch (error) {
      this.#giveUp(BowlineError.from(error));
    }
  }

  #giveUp(error: BowlineError): void {
    if (this.#state === "answered" || this.#state === "over") return;
    if (this.#state !== "waiting" || this.response.headersSent) return this.#breakOff(error);
    this.#state = "answered";
    this.#message = error.message;
    this.#status = this.#options.host.answerError(this, error);
    this.#body?.discardRest();
  }

  /** A length that is not reached, or a last chunk that is missing, tells the client that it has not got all. */
  #breakOff(error: BowlineError): void {
    this.#state = "answered";
    if (this.#upgraded?.isComplete !== true) this.#message ??= error.message;
    const { upgrade } = this.#options;
    if (upgrade === undefined) breakOff(this.response, error);
    else upgrade.socket.destroy();
  }

  #closed(): void {
    if (this.#state === "over") return;
    const clientLeft = this.#message === undefined && !this.#isComplete();
    if (clientLeft) {
      this.#message = `The client went away before the answer${this.#status === 0 ? "" : " was complete"}.`;
    }
    this.#state = "over";
    this.#stream?.reset("cancelled", "The client went away.");
    this.release();
    const phase = this.#upgraded === undefined ? undefined : "end";
    this.#options.host.ended(this, { ...this.#result(), phase, clientLeft });
  }

  /** Clients of watches, of logs that are followed and of upgraded connections end them by going away. */
  #isComplete(): boolean {
    return (this.isStream && this.#status !== 0) || this.response.writableFinished;
  }

  #result(): TransferResult {
    return {
      status: this.#status,
      requestBytes: this.#upgraded?.requestBytes ?? this.#body?.bytes ?? 0,
      answerBytes: this.#upgraded?.answerBytes ?? this.#writer.bytes,
      durationMs: this.#options.host.monotonicMs() - this.admitted.startedMs,
      message: this.#message,
    };
  }
}

function hasBodyToSend({ headers }: IncomingMessage): boolean {
  if (headers["transfer-encoding"] !== undefined) return true;
  const length = headers["content-length"];
  return length !== undefined && length !== "0";
}
