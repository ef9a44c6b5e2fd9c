import type { ServerSession } from "./server-session.ts";
import { ServerLink, type ServerLinkOptions } from "./server-link.ts";

export type ServerLinksOptions = Omit<ServerLinkOptions, "welcomed" | "otherReplica">;

/**
 * The agent's sessions: one with a server, and where there are several replicas of it, one more with another of them, so
 * that requests find a short way and one replica may go away unnoticed.
 */
export class ServerLinks {
  readonly #options: ServerLinksOptions;
  readonly #signal: AbortSignal;
  readonly #first: ServerLink;
  readonly #connected = Promise.withResolvers<void>();
  #second: { readonly link: ServerLink; readonly servers: readonly string[] } | undefined;
  /** Links that are given up, until nothing is left of them. */
  readonly #leaving = new Set<Promise<void>>();
  #finishedConnects = 0;
  /** Those who wait for a session. */
  readonly #waiting = new Set<() => void>();

  constructor(options: ServerLinksOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    const welcomed = (session: ServerSession): void => this.#welcomed(session);
    this.#first = new ServerLink({ ...options, welcomed }, signal);
  }

  /** Resolves when the agent has been welcomed for the first time. */
  get connected(): Promise<void> {
    return this.#connected.promise;
  }

  /** Sessions that are open, the first one first. */
  get sessions(): readonly ServerSession[] {
    return [this.#first.session, this.#second?.link.session].filter((session) => session !== undefined);
  }

  /**
   * A session that is not about to end, with a server that can do something, if that is named; waits for one. Rejects
   * with the reason of the signal.
   */
  async session(signal: AbortSignal, capability = ""): Promise<ServerSession> {
    const isFit = ({ welcome: { capabilities } }: ServerSession): boolean =>
      capability === "" || capabilities.includes(capability);
    for (;;) {
      signal.throwIfAborted();
      const open = this.sessions.find((each) => !each.leaving.aborted && isFit(each));
      if (open !== undefined) return open;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      const onAbort = (): void => resolve();
      signal.addEventListener("abort", onAbort, { once: true });
      await promise;
      signal.removeEventListener("abort", onAbort);
      this.#waiting.delete(resolve);
    }
  }

  /** Why there is no session. */
  get problem(): Error | undefined {
    return this.#first.problem;
  }

  /** How often a session was opened. */
  get connects(): number {
    return this.#first.connects + (this.#second?.link.connects ?? 0) + this.#finishedConnects;
  }

  async drain(reason: string, withinMs: number): Promise<void> {
    await Promise.all([
      this.#first.drain(reason, withinMs),
      this.#second?.link.drain(reason, withinMs),
      ...this.#leaving,
    ]);
  }

  #welcomed(session: ServerSession): void {
    this.#connected.resolve();
    this.#tellWaiting();
    session.onReplicas = () => {
      if (session === this.#first.session) this.#chooseSecond(session);
    };
    this.#chooseSecond(session);
  }

  #chooseSecond({ welcome, otherReplicas: others }: ServerSession): void {
    const isStillThere = this.#second?.servers.some((server) => others.includes(server)) === true;
    if (isStillThere && this.#second?.link.session?.welcome.replica !== welcome.replica) {
      // Where it has no session, and waits longer and longer, it tries again: the server has just said where.
      return this.#second?.link.hurry();
    }
    this.#leaveSecond();
    if (others.length === 0) return;
    const otherReplica = (): string | undefined => this.#first.session?.welcome.replica;
    // Each agent begins with another one, or all would have theirs with the same.
    const first = Math.floor(this.#options.random() * others.length);
    const servers = [...others.slice(first), ...others.slice(0, first)];
    const options = {
      ...this.#options,
      servers: () => servers,
      otherReplica,
      welcomed: (session: ServerSession) => {
        session.onReplicas = () => this.#first.hurry();
        this.#tellWaiting();
      },
    };
    this.#second = { link: new ServerLink(options, this.#signal), servers: others };
  }

  #tellWaiting(): void {
    for (const resolve of this.#waiting) resolve();
  }

  #leaveSecond(): void {
    const left = this.#second?.link;
    if (left === undefined) return;
    this.#second = undefined;
    this.#finishedConnects += left.connects;
    const limitMs = this.#leaving.size < maxLeaving ? drainLimitMs : 0;
    const leaving = left.drain("The agent connects to another replica.", limitMs);
    this.#leaving.add(leaving);
    void leaving.then(() => this.#leaving.delete(leaving));
  }
}

/** How long streams may go on over a session with a replica that the agent leaves. */
const drainLimitMs = 60_000;

/** How many may do so at once, however often the server names other replicas. */
const maxLeaving = 4;
