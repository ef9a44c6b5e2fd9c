import {
  Backoff,
  backoffDelayMs,
  BowlineError,
  fullJitterBackoff,
  LinkedAbortController,
  type Clock,
  type Logger,
  type Random,
  type ResettingBackoffPolicy,
} from "@bowline/core";

import type { ServerSession } from "./server-session.ts";

export interface ServerLinkOptions {
  /** Where to connect to, the best first; asked before each attempt. */
  readonly servers: () => readonly string[];
  /** Connects and is welcomed. `Conflict` when the address leads to the other replica. */
  readonly open: (
    server: string,
    signal: AbortSignal,
    otherReplica: string | undefined,
  ) => Promise<ServerSession>;
  /** The replica to which this link must not lead, because another one does. */
  readonly otherReplica?: () => string | undefined;
  /** The server does not accept the agent; returns whether the agent has become another one meanwhile. */
  readonly refused: () => Promise<boolean>;
  readonly welcomed: (session: ServerSession) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * All the agents of a server lose it in the same moment, and one that takes them over needs some milliseconds for each
 * of them: the first attempts are spread over seconds already.
 */
const reconnectBackoff: ResettingBackoffPolicy = { ...fullJitterBackoff, baseMs: 3_000 };

/** Somebody has to do something about a refusal; until then asking is of little use, but not of none. */
const refusedBackoff: ResettingBackoffPolicy = {
  baseMs: 30_000,
  maxMs: 600_000,
  factor: 2,
  jitter: 0.5,
  resetAfterMs: 3_600_000,
};

/** A load balancer leads elsewhere soon, or there is nothing else behind it and nobody misses the second session. */
const sameReplicaBackoff: ResettingBackoffPolicy = {
  baseMs: 500,
  maxMs: 300_000,
  factor: 3,
  jitter: 1,
  resetAfterMs: 600_000,
};

/** A session that has lasted so long may be followed by another one soon, when its server drains. */
const lastingMs = 10_000;

/** A server that sends its agents away again and again must not leave them with ever more sessions that drain. */
const maxSessions = 5;

/**
 * Keeps one session with a server: connects, and connects again with growing delays of random length, so that all the
 * agents of a server that restarts do not come back in the same moment.
 */
export class ServerLink {
  readonly #options: ServerLinkOptions;
  readonly #stop: LinkedAbortController;
  readonly #finished: Promise<void>;
  /** The current session, and those with servers that drain. */
  readonly #sessions = new Set<ServerSession>();
  #current: ServerSession | undefined;
  #problem: BowlineError | undefined;
  #connects = 0;
  /** Ends the wait for the next attempt. */
  #wake = (): void => {};

  constructor(options: ServerLinkOptions, signal: AbortSignal) {
    this.#options = options;
    this.#stop = new LinkedAbortController(signal);
    this.#finished = this.#keep(this.#stop.signal);
  }

  get session(): ServerSession | undefined {
    return this.#current;
  }

  /** Why there is no session. */
  get problem(): BowlineError | undefined {
    return this.#problem;
  }

  /** How often a session was opened. */
  get connects(): number {
    return this.#connects;
  }

  /** Tries again now, where it waits to do so: a server that is about to stop says where others are. */
  hurry(): void {
    this.#wake();
  }

  /** Connects no more, and lets its sessions end what is under way. */
  async drain(reason: string, withinMs: number): Promise<void> {
    this.#stop.abort(new BowlineError("Cancelled", reason));
    await Promise.all([...this.#sessions].map((session) => session.drain(reason, withinMs)));
    await this.#finished;
    this.#stop[Symbol.dispose]();
  }

  async #keep(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const backoff = new Backoff(reconnectBackoff, clock, random);
    const afterRefusal = new Backoff(refusedBackoff, clock, random);
    const afterSameReplica = new Backoff(sameReplicaBackoff, clock, random);
    for (let turn = 0; !signal.aborted; turn++) {
      const problem = await this.#holdOne(turn, signal);
      if (signal.aborted) return;
      if (problem === undefined) {
        // Everybody else whom the server sends away has heard it just now as well.
        await this.#pause(backoffDelayMs(0, reconnectBackoff, random), signal);
        continue;
      }
      this.#problem = problem;
      const isRefused = problem.code === "Unauthorized" || problem.code === "Forbidden";
      if (isRefused && (await this.#becameAnother())) continue;
      const leadsBack = problem.code === "Conflict" && this.#options.otherReplica !== undefined;
      const usual = leadsBack ? afterSameReplica : backoff;
      const delayMs = (isRefused ? afterRefusal : usual).nextDelayMs();
      if (!leadsBack) this.#tell(problem, isRefused, delayMs);
      await this.#pause(delayMs, signal);
    }
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    using wait = new LinkedAbortController(signal);
    this.#wake = () => wait.abort();
    await this.#options.clock.sleep(delayMs, wait.signal).catch(() => {});
    this.#wake = () => {};
  }

  /** Connects once. Resolves to what went wrong, or to nothing when the next attempt should follow soon. */
  async #holdOne(turn: number, signal: AbortSignal): Promise<BowlineError | undefined> {
    const { clock, logger } = this.#options;
    const servers = this.#options.servers();
    const server = servers[turn % servers.length] ?? "";
    try {
      const session = await this.#options.open(server, signal, this.#options.otherReplica?.());
      const startedMs = clock.monotonicMs();
      this.#adopt(session, server);
      const departure = await session.departed;
      this.#current = undefined;
      if (departure.kind === "ended") return departure.error ?? ended(server);
      logger.info(
        { server, reason: departure.reason },
        "The server is going away; connecting to another one",
      );
      return clock.monotonicMs() - startedMs >= lastingMs ? undefined : ended(server);
    } catch (error) {
      return BowlineError.from(error);
    }
  }

  #adopt(session: ServerSession, server: string): void {
    const { logger, welcomed } = this.#options;
    const { sessionId, replica, serverVersion } = session.welcome;
    this.#current = session;
    this.#problem = undefined;
    this.#connects += 1;
    this.#sessions.add(session);
    const [oldest] = this.#sessions;
    if (this.#sessions.size > maxSessions) oldest?.destroy();
    void session.closed.then(() => this.#sessions.delete(session));
    logger.info({ server, session: sessionId, replica, serverVersion }, "Connected");
    // It was stopped while the welcome was on its way.
    if (this.#stop.signal.aborted) session.destroy();
    else welcomed(session);
  }

  async #becameAnother(): Promise<boolean> {
    try {
      return await this.#options.refused();
    } catch (error) {
      this.#options.logger.warn({ err: error }, "The identity of the agent could not be read again");
      return false;
    }
  }

  #tell(problem: BowlineError, isRefused: boolean, delayMs: number): void {
    const { logger } = this.#options;
    const fields = { err: problem, retryInMs: delayMs };
    if (isRefused) logger.error(fields, "The server does not accept this agent");
    else logger.warn(fields, "Not connected");
  }
}

function ended(server: string): BowlineError {
  return new BowlineError("ConnectionFailed", `${server} ended the session.`);
}
