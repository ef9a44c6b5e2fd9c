import { randomBytes } from "node:crypto";

import type { Clock, Random } from "@bowline/core";

import type { ServerConfig } from "../config/server-config.ts";
import type { DataFolder } from "../data-folder/data-folder.ts";
import {
  type OpenAnnouncements,
  replicaServerName,
  replicaSecret,
  type ReplicaTrust,
} from "@bowline/gateway";
import type { Store } from "@bowline/store";
import { certificateNames } from "@bowline/tls";
import type { CertificateSource } from "../tls/certificate-source.ts";
import { SelfMadeCertificate, sharedAuthority } from "../tls/self-made-certificate.ts";
import { holdsAgents, reachesAgents, natsSettings } from "./config-parts.ts";

export interface OpenReplicaTrust extends ReplicaTrust {
  /** The certificate for other replicas, whatever clients see; undefined where none of them calls. */
  readonly certificate: CertificateSource | undefined;
}

export interface ReplicaTrustOptions {
  readonly config: ServerConfig;
  readonly folder: DataFolder;
  readonly store: Pick<Store, "installation">;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * How this server and its replicas know each other: all of it follows from the database that they share. Undefined for
 * one that has no replicas, or nothing to do with agents.
 */
export async function openReplicaTrust(options: ReplicaTrustOptions): Promise<OpenReplicaTrust | undefined> {
  const { config, folder, store, clock } = options;
  // SQLite serves one process only.
  if (config.database.url === undefined || !reachesAgents(config)) return undefined;
  const authority = await sharedAuthority(store.installation, clock.now());
  const names = certificateNames([replicaServerName]);
  const file = folder.replicaCertificate;
  return {
    caPem: authority.cert,
    secret: await replicaSecret(store.installation, () => randomBytes(32)),
    openAnnouncements: await announcementsFor(options),
    certificate: holdsAgents(config)
      ? await SelfMadeCertificate.open({ authority, names, file, clock })
      : undefined,
  };
}

/** NATS where it was given; it is loaded only then. */
async function announcementsFor(options: ReplicaTrustOptions): Promise<OpenAnnouncements | undefined> {
  const { config, clock, random } = options;
  const nats = natsSettings(config);
  if (nats === undefined) return undefined;
  const { NatsAnnouncements } = await import("../broker/nats-announcements.ts");
  const { name } = config.nats;
  return (listener) => new NatsAnnouncements({ nats, name, listener, clock, random });
}
