import type { Clock, Logger, Random } from "@bowline/core";

import type { AbandonedSession, AgentSessionStore } from "@bowline/store";

export interface AbandonedSessionsOptions {
  readonly sessions: Pick<AgentSessionStore, "listAbandoned">;
  readonly takeOver: (sessions: readonly AbandonedSession[]) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const intervalMs = 10_000;
/** The rest is found by the next round, or by another replica. */
const batchSize = 500;

/** Looks for sessions of replicas that have died, this one's former life among them, and has their end told. */
export class AbandonedSessions {
  readonly #options: AbandonedSessionsOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: AbandonedSessionsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { sessions, takeOver, clock, random, logger } = this.#options;
    const { signal } = this.#stop;
    for (;;) {
      try {
        await clock.sleep(intervalMs * (0.5 + random()), signal);
        const abandoned = await sessions.listAbandoned(batchSize);
        if (abandoned.length > 0) takeOver(abandoned);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ err: error }, "Sessions of other servers could not be looked up; will be tried again");
      }
    }
  }
}
