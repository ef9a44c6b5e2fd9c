import { once } from "node:events";
import { connect } from "node:tls";

import type { Clock, Logger } from "@bowline/core";
import { dialSocketTunnel, relayPath, tunnelProtocol, type ByteChannel } from "@bowline/protocol";
import type { Replica } from "@bowline/store";

import { PeerLink } from "./peer-link.ts";
import type { ReplicaTokens } from "./replica-tokens.ts";

/**
 * The name of replicas for each other in TLS, wherever they are reached: it selects the certificate that is signed by the CA of
 * the installation, whatever certificate clients are shown.
 */
export const replicaServerName = "replica.bowline.internal";

const keepAliveMs = 30_000;

export interface DialReplicaOptions {
  readonly url: string;
  /** The CA of the installation, and no other. */
  readonly caPem: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** Connects to another replica, and resolves once it has agreed; the one that answers has the certificate of a replica. */
export async function dialReplica({ url, caPem, token, signal }: DialReplicaOptions): Promise<ByteChannel> {
  signal.throwIfAborted();
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname.replaceAll(/^\[|\]$/gu, ""),
    port: port === "" ? 443 : Number(port),
    ca: caPem,
    servername: replicaServerName,
    ALPNProtocols: [tunnelProtocol],
  });
  socket.setNoDelay(true);
  socket.setKeepAlive(true, keepAliveMs);
  socket.on("error", () => {});
  try {
    await once(socket, "secureConnect", { signal });
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  }
  return dialSocketTunnel(socket, { path: relayPath, headers: { authorization: `Bearer ${token}` }, signal });
}

export interface PeerLinksOptions {
  /** The CA of the installation. */
  readonly caPem: string;
  readonly tokens: Pick<ReplicaTokens, "sign">;
  readonly find: (id: string) => Replica | undefined;
  /** The replica takes no more requests, or is gone. */
  readonly onLeft: (id: string) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The links to other replicas, one to each that is needed. */
export class PeerLinks {
  readonly #options: PeerLinksOptions;
  readonly #byReplica = new Map<string, PeerLink>();
  /** To replicas that are gone, until what was under way there has ended. */
  readonly #retired = new Set<PeerLink>();
  #isClosing = false;

  constructor(options: PeerLinksOptions) {
    this.#options = options;
  }

  /** To how many there is a connection. */
  get connected(): number {
    return [...this.#byReplica.values()].filter(({ tunnel }) => tunnel !== undefined).length;
  }

  /** Undefined for a replica that nobody knows. */
  to(id: string): PeerLink | undefined {
    const link = this.#byReplica.get(id);
    const replica = this.#options.find(id);
    if (link !== undefined || replica === undefined || this.#isClosing) return link;
    const created = this.#create(replica);
    this.#byReplica.set(id, created);
    return created;
  }

  /** A replica that has gone does not come back under its name. */
  retain(ids: ReadonlySet<string>): void {
    for (const [id, link] of this.#byReplica) {
      if (ids.has(id)) continue;
      this.#byReplica.delete(id);
      void this.#retire(link);
    }
  }

  /** Lets no new requests begin; resolves when those under way are complete. */
  async drain(reason: string): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#all().map((link) => link.drain(reason)));
  }

  close(): void {
    this.#isClosing = true;
    for (const link of this.#all()) link.close();
  }

  async #retire(link: PeerLink): Promise<void> {
    this.#retired.add(link);
    await link.drain("The replica is going away.");
    this.#retired.delete(link);
    link.close();
  }

  #all(): PeerLink[] {
    return [...this.#byReplica.values(), ...this.#retired];
  }

  #create({ id, url }: Replica): PeerLink {
    const { caPem, tokens, onLeft, clock, logger } = this.#options;
    return new PeerLink({
      replica: id,
      dial: async (signal) => dialReplica({ url, caPem, token: await tokens.sign(id), signal }),
      onLeft: () => onLeft(id),
      clock,
      logger,
    });
  }
}
