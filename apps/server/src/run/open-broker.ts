import type { Clock, Random } from "@bowline/core";

import type { Broker } from "../broker/broker.ts";
import { InProcessBroker } from "../broker/in-process-broker.ts";
import type { ServerConfig } from "../config/server-config.ts";
import { natsSettings } from "./nats-settings.ts";

export interface OpenBrokerOptions {
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly random: Random;
}

/** NATS where it was given; it is loaded only then. The caller closes it. */
export async function openBroker({ config, clock, random }: OpenBrokerOptions): Promise<Broker> {
  const nats = natsSettings(config);
  // On PostgreSQL there may be other servers that hand themselves the same keys.
  if (nats === undefined)
    return new InProcessBroker({ clock, random, isShared: config.database.url !== undefined });
  const { JetStreamBroker } = await import("../broker/jetstream/jetstream-broker.ts");
  return new JetStreamBroker({ nats, name: config.nats.name, clock, random });
}
