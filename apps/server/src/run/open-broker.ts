import type { Clock, Random } from "@bowline/core";

import type { Broker } from "../broker/broker.ts";
import { InProcessBroker } from "../broker/in-process-broker.ts";
import type { ServerConfig } from "../config/server-config.ts";

export interface OpenBrokerOptions {
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly random: Random;
}

/** NATS where it was given; it is loaded only then. The caller closes it. */
export async function openBroker({ config, clock, random }: OpenBrokerOptions): Promise<Broker> {
  const { url, name, credentialsFile, caFile, certFile, keyFile } = config.nats;
  // On PostgreSQL there may be other servers that hand themselves the same keys.
  if (url === undefined)
    return new InProcessBroker({ clock, random, isShared: config.database.url !== undefined });
  const { JetStreamBroker } = await import("../broker/jetstream/jetstream-broker.ts");
  const certificate = certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
  return new JetStreamBroker({ nats: { url, credentialsFile, caFile, certificate }, name, clock, random });
}
