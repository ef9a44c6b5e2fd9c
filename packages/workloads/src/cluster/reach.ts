import { hasCode, type BowlineError } from "@bowline/core";

/** After so many requests in a row that got no answer, the way to the cluster is taken for down. */
const lostRequests = 3;

/**
 * Whether the cluster answers at all. One request may get lost; but hundreds that each wait for their time limit would
 * hold up a worker for an hour.
 */
export class Reach {
  #lost: BowlineError[] = [];

  /** The first failure of a way that is down. */
  get down(): BowlineError | undefined {
    return this.#lost.length < lostRequests ? undefined : this.#lost[0];
  }

  answered(): void {
    this.#lost = [];
  }

  failed(error: BowlineError): void {
    if (hasCode(error, "AgentOffline", "ConnectionFailed", "TunnelLost", "TunnelDraining", "Timeout")) {
      this.#lost.push(error);
    }
  }
}
