import type { Clock, Random } from "@bowline/core";

import type { Broker } from "./broker.ts";
import { InProcessBroker } from "./in-process-broker.ts";
import { JetStreamBroker } from "./jetstream/jetstream-broker.ts";
import type { NatsOptions } from "./jetstream/nats-options.ts";

export interface BrokerOptions {
  /** Where several replicas share the work; without it, keys are handed over within the process. */
  readonly nats?: NatsOptions | undefined;
  /** Tells installations apart that share a NATS; `bowline` by default. */
  readonly name?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** The broker to use; the caller closes it. It need not be reachable yet. */
export function openBroker({ nats, name = "bowline", clock, random }: BrokerOptions): Broker {
  return nats === undefined
    ? new InProcessBroker({ clock, random })
    : new JetStreamBroker({ nats, name, clock, random });
}
