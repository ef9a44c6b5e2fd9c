import { BowlineError } from "@bowline/core";

import type { Broker, BrokerMessage } from "../broker.ts";

/** Writes down what it is told, and can be away. */
export class FakeBroker implements Pick<Broker, "isShared" | "publish" | "offer" | "check"> {
  readonly isShared = true;
  readonly published: BrokerMessage[] = [];
  readonly offered: BrokerMessage[][] = [];
  isAway = false;

  get publishedIds(): string[] {
    return this.published.map(({ id }) => id);
  }

  async publish(messages: readonly BrokerMessage[]): Promise<void> {
    this.#requireThere();
    this.published.push(...messages);
  }

  async offer(messages: readonly BrokerMessage[]): Promise<number> {
    this.#requireThere();
    this.offered.push([...messages]);
    return messages.length;
  }

  async check(): Promise<void> {
    this.#requireThere();
  }

  #requireThere(): void {
    if (this.isAway) throw new BowlineError("BrokerUnavailable", "The broker is away.");
  }
}
