import type { Clock, Random } from "@bowline/core";

import type { AgentRegistry } from "./agent-registry.ts";

export interface AgentHeartbeatsOptions {
  readonly registry: AgentRegistry;
  readonly clock: Clock;
  readonly random: Random;
  /** Where there are other replicas now. */
  readonly otherReplicas?: () => readonly string[];
}

export const heartbeatIntervalMs = 15_000;

/** How often to look. */
const tickMs = 1_000;
/** Three missing heartbeats, noticed within 45 s. */
const silenceLimitMs = 3 * heartbeatIntervalMs - tickMs;

/**
 * Sends the heartbeats of all sessions, and ends those that have fallen silent. One timer serves them all. With its next
 * heartbeat an agent hears of replicas that have come or gone: so thousands of them do not dial a new one at once.
 */
export class AgentHeartbeats {
  readonly #options: AgentHeartbeatsOptions;
  #cancel: (() => void) | undefined;

  constructor(options: AgentHeartbeatsOptions) {
    this.#options = options;
    const { registry, clock, random } = options;
    registry.subscribe({
      // Spread over the interval, so that thousands do not beat in the same moment.
      opened: (session) => (session.nextBeatMs = clock.monotonicMs() + random() * heartbeatIntervalMs),
      closed: () => {},
    });
  }

  start(): void {
    this.#cancel = this.#options.clock.after(tickMs, () => this.#tick());
  }

  stop(): void {
    this.#cancel?.();
  }

  #tick(): void {
    const nowMs = this.#options.clock.monotonicMs();
    const others = this.#options.otherReplicas?.() ?? [];
    for (const session of this.#options.registry.sessions()) {
      if (session.silenceMs(nowMs) >= silenceLimitMs) session.close("silent");
      else if (session.nextBeatMs <= nowMs) {
        session.nextBeatMs = nowMs + heartbeatIntervalMs;
        session.tellReplicas(others);
        session.sendHeartbeat();
      }
    }
    this.start();
  }
}
