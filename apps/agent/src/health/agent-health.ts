import { BowlineError, type Clock } from "@bowline/core";
import { Health } from "@bowline/program/health";

import type { ServerLinks } from "../session/server-links.ts";

export type WatchedLinks = Pick<ServerLinks, "sessions" | "problem">;

/** Whether servers can reach the cluster through the agent. */
export class AgentHealth {
  readonly ready: Health;
  #links: WatchedLinks | undefined;

  constructor(clock: Clock, stopping: AbortSignal) {
    this.ready = new Health({ clock });
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
