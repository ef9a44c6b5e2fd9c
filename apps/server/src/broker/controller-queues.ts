import type { Controller } from "@bowline/runtime";

import type { Broker, BrokerMessage } from "./broker.ts";

export interface ControllerQueuesOptions {
  /** The controllers of this process, by the kind they are for. */
  readonly controllers: ReadonlyMap<string, Pick<Controller, "enqueue" | "offer">>;
  /** Whether other processes on the same database may give themselves the same keys. */
  readonly isShared: boolean;
  /** How many keys of a kind may wait before offers have to; 10,000 by default. */
  readonly offerRoom?: number;
}

/** The way of keys on a server without NATS: straight into the queues of its own controllers. */
export class ControllerQueues implements Broker {
  readonly isShared: boolean;
  readonly #controllers: ControllerQueuesOptions["controllers"];
  readonly #offerRoom: number;

  constructor({ controllers, isShared, offerRoom = 10_000 }: ControllerQueuesOptions) {
    this.isShared = isShared;
    this.#controllers = controllers;
    this.#offerRoom = offerRoom;
  }

  async publish(messages: readonly BrokerMessage[]): Promise<void> {
    for (const { kind, key } of messages) this.#controllers.get(kind)?.enqueue(key);
  }

  async offer(messages: readonly BrokerMessage[], signal: AbortSignal): Promise<number> {
    let taken = 0;
    for (const { kind, key } of messages) {
      if (await this.#controllers.get(kind)?.offer(key, this.#offerRoom, signal)) taken += 1;
    }
    return taken;
  }

  /** Keys are lost with the process alone, and with it everybody who could be told. */
  onLoss(): () => void {
    return () => {};
  }

  async check(): Promise<void> {}
}
