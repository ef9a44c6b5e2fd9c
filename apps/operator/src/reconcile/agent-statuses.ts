import type { Clock } from "@bowline/core";
import type { MetricsAgentStatus } from "@bowline/monitoring";
import { keyOf, objectKey, type NamespacedName } from "@bowline/runtime";

import type { MetricsAgent } from "../objects/kinds.ts";
import { withTargets } from "../status/target-status.ts";
import type { AgentTargets } from "../targets/expected-targets.ts";
import type { AgentFamily } from "./agent-family.ts";

interface AgentStatusesOptions {
  readonly family: Pick<AgentFamily, "find" | "writeStatus">;
  readonly targets: Pick<AgentTargets, "reportOf" | "markWritten">;
  readonly clock: Clock;
}

/**
 * The statuses of agents, which have two writers: the reconciler of an agent and the one that counts its targets. Each
 * writes all of a status, so they take turns, and neither puts back what the other has changed meanwhile.
 */
export class AgentStatuses {
  readonly #options: AgentStatusesOptions;
  /** The end of the last turn, by agent. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(options: AgentStatusesOptions) {
    this.#options = options;
  }

  /** Writes the status that a reconcile has come to, with the targets that are known. */
  async write(agent: MetricsAgent, status: MetricsAgentStatus, signal: AbortSignal): Promise<void> {
    await this.#inTurn(keyOf(agent), () => this.#write(agent, status, signal));
  }

  /** Writes the status as it is, with the targets of now. */
  async writeTargets(ref: NamespacedName, signal: AbortSignal): Promise<void> {
    const key = objectKey(ref);
    await this.#inTurn(key, async () => {
      const { family, targets } = this.#options;
      const agent = (await family.find(ref, signal))?.agent;
      // The first status that is written has the targets as well.
      if (agent?.status === undefined) targets.markWritten(key, targets.reportOf(key));
      else await this.#write(agent, agent.status, signal);
    });
  }

  async #write(agent: MetricsAgent, status: MetricsAgentStatus, signal: AbortSignal): Promise<void> {
    const { family, targets, clock } = this.#options;
    const report = targets.reportOf(keyOf(agent));
    await family.writeStatus(
      agent,
      withTargets(status, agent.status, { report, nowMs: clock.now() }),
      signal,
    );
    targets.markWritten(keyOf(agent), report);
  }

  async #inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(work);
    const end = turn.catch(() => {});
    this.#turns.set(key, end);
    try {
      await turn;
    } finally {
      if (this.#turns.get(key) === end) this.#turns.delete(key);
    }
  }
}
