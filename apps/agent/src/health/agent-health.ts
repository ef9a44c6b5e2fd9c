import { BowlineError, Health, type Clock } from "@bowline/core";

import type { ServerLinks } from "../session/server-links.ts";

export type WatchedLinks = Pick<ServerLinks, "sessions" | "problem">;

/** Kubelet waits one second by default. */
const checkLimitMs = 800;

/** Whether the agent is alive, and whether servers can reach the cluster through it. */
export class AgentHealth {
  /** Answers as long as the process does: connecting again is the agent's own business, not kubelet's. */
  readonly live: Health;
  readonly ready: Health;
  #links: WatchedLinks | undefined;

  constructor(clock: Clock, stopping: AbortSignal) {
    this.live = new Health({ name: "healthz", clock, checkLimitMs });
    this.ready = new Health({ name: "readyz", clock, checkLimitMs });
    this.ready.add("session", () => this.#requireSession());
    this.ready.add("running", () => stopping.throwIfAborted());
  }

  /** The agent has joined, and connects. */
  watch(links: WatchedLinks): void {
    this.#links = links;
  }

  #requireSession(): void {
    if (this.#links === undefined)
      throw new BowlineError("ServerUnavailable", "The agent has not joined yet.");
    if (this.#links.sessions.some(({ isServing }) => isServing)) return;
    throw this.#links.problem ?? new BowlineError("ServerUnavailable", "The agent is not connected yet.");
  }
}
