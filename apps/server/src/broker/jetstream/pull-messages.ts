import { BowlineError, type Clock } from "@bowline/core";
import { createInbox, type Msg, type NatsConnection, type Subscription } from "@nats-io/transport-node";

export interface PullRequest {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  /** Where the consumer takes requests. */
  readonly subject: string;
  readonly batch: number;
  /** How long to wait for a first message; without it, only what is there now. */
  readonly waitMs?: number;
  readonly signal: AbortSignal;
}

/** While a request waits, the server says this often that it has not forgotten it. */
const heartbeatMs = 2_000;
/** After so much silence it has. A request to a consumer that does not exist is met with silence too. */
const silenceLimitMs = 1.5 * heartbeatMs;
const nanosPerMs = 1_000_000;

const heartbeatStatus = 100;
const nothingMoreStatuses: ReadonlySet<number> = new Set([404, 408]);

/**
 * Asks JetStream for messages of one consumer, for exactly as many as there is room for. The client's own consumers
 * fetch ahead, and what lies too long in their buffer is delivered to somebody else as well.
 *
 * Resolves to no messages when there were none in time. Rejects when the signal aborts, and with `BrokerUnavailable`
 * when nobody answers or the consumer is not there.
 */
export async function pullMessages(request: PullRequest): Promise<Msg[]> {
  if (request.signal.aborted) throw cancelled(request.signal);
  return new Pull(request).result;
}

class Pull {
  readonly #request: PullRequest;
  readonly #messages: Msg[] = [];
  readonly #outcome = Promise.withResolvers<Msg[]>();
  readonly #subscription: Subscription;
  readonly #onAbort = (): void => this.#end(cancelled(this.#request.signal));
  #isOver = false;
  #cancelTimer = (): void => {};

  constructor(request: PullRequest) {
    const { connection, subject, signal } = request;
    const inbox = createInbox();
    this.#request = request;
    this.#subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        if (error === null) this.#receive(message);
        else this.#end(unavailable(error.message, error));
      },
    });
    void this.#awaitClose();
    signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#awaitSign();
    connection.publish(subject, requestBody(request), { reply: inbox });
  }

  get result(): Promise<Msg[]> {
    return this.#outcome.promise;
  }

  #receive(message: Msg): void {
    const status = message.headers?.code ?? 0;
    if (this.#isOver) return giveBack(message, status);
    this.#awaitSign();
    if (status === 0) this.#messages.push(message);
    if (this.#messages.length === this.#request.batch || nothingMoreStatuses.has(status)) this.#end();
    else if (status !== 0 && status !== heartbeatStatus) this.#end(refused(message));
  }

  #end(error?: BowlineError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer();
    this.#request.signal.removeEventListener("abort", this.#onAbort);
    // Once the server has ended it, nothing more comes.
    if (error === undefined) this.#subscription.unsubscribe();
    else void this.#leave();
    if (error === undefined || this.#messages.length > 0) this.#outcome.resolve(this.#messages);
    else this.#outcome.reject(error);
  }

  /** Not just unsubscribed: what is on its way still gets to `#receive`, and from there back to the server. */
  async #leave(): Promise<void> {
    try {
      if (!this.#subscription.isClosed()) await this.#subscription.drain();
    } catch {
      // The connection ended meanwhile, and with it the subscription.
    }
  }

  async #awaitClose(): Promise<void> {
    await this.#subscription.closed;
    this.#end(unavailable("the connection ended"));
  }

  #awaitSign(): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#request.clock.after(silenceLimitMs, () =>
      this.#end(unavailable(`JetStream was silent for ${silenceLimitMs} ms`)),
    );
  }
}

function requestBody({ batch, waitMs }: PullRequest): string {
  if (waitMs === undefined) return JSON.stringify({ batch, no_wait: true });
  return JSON.stringify({
    batch,
    expires: waitMs * nanosPerMs,
    idle_heartbeat: Math.min(heartbeatMs, waitMs / 3) * nanosPerMs,
  });
}

function cancelled({ reason }: AbortSignal): BowlineError {
  return new BowlineError("Cancelled", BowlineError.from(reason).message, { cause: reason });
}

function giveBack(message: Msg, status: number): void {
  if (status === 0) message.respond("-NAK");
}

function refused({ headers }: Msg): BowlineError {
  return unavailable(`JetStream refused to hand out messages (${headers?.code} ${headers?.description})`);
}

function unavailable(why: string, cause?: unknown): BowlineError {
  return new BowlineError("BrokerUnavailable", `NATS cannot be used: ${why}.`, { cause });
}
