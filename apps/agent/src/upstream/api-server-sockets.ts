import type { Agent } from "node:http";
import { isIP } from "node:net";

import { BowlineError, type Clock } from "@bowline/core";
import { secureContextOf, type ClusterConnection, type SocketAccess, type TlsMaterial } from "@bowline/kube";

import { freeSockets, IdleSockets } from "./idle-sockets.ts";
import { LimitedHttpAgent, LimitedHttpsAgent, type ConnectLimit } from "./limited-agents.ts";

export interface ApiServerSocketsOptions {
  readonly connection: Pick<ClusterConnection, "server" | "proxyUrl">;
  readonly access: Pick<SocketAccess, "tlsMaterial">;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
}

/** The kernel then notices a host that vanished in the middle of a watch. */
const keepAliveInitialDelayMs = 15_000;

/** How often to look whether certificates were renewed. */
const materialAgeMs = 10_000;

interface Pool {
  readonly agent: Agent;
  readonly material: TlsMaterial | undefined;
  readonly idle: IdleSockets;
}

/** Where the API server is, and sockets to it that are used again and again. */
export class ApiServerSockets {
  /** Host and port, for messages and for the header `Host`. */
  readonly place: string;
  /** The beginning of every path; usually empty. */
  readonly basePath: string;
  /** The server, as node:http needs to know it. */
  readonly target: { readonly protocol: string; readonly host: string; readonly port: number };
  readonly #options: ApiServerSocketsOptions;
  #pool: Pool | undefined;
  #checkedAtMs = 0;
  #opening: Promise<Agent> | undefined;
  #isClosed = false;

  constructor(options: ApiServerSocketsOptions) {
    this.#options = options;
    const { protocol, hostname, host, port, pathname } = new URL(options.connection.server);
    const usualPort = protocol === "https:" ? 443 : 80;
    this.place = host;
    this.basePath = pathname.replace(/\/+$/u, "");
    this.target = {
      protocol,
      host: hostname.replace(/^\[|\]$/gu, ""),
      port: port === "" ? usualPort : Number(port),
    };
  }

  /** The pool to take a socket from; another one after certificates have changed. */
  agent(): Agent | Promise<Agent> {
    const isFresh = this.#options.clock.monotonicMs() - this.#checkedAtMs < materialAgeMs;
    return this.#pool !== undefined && isFresh ? this.#pool.agent : this.renew();
  }

  /** Looks at the certificates now. */
  renew(): Promise<Agent> {
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  close(): void {
    this.#pool?.idle.stop();
    this.#pool?.agent.destroy();
    this.#pool = undefined;
    this.#isClosed = true;
  }

  async #open(): Promise<Agent> {
    const isSecure = this.target.protocol === "https:";
    const material = isSecure ? await this.#options.access.tlsMaterial() : undefined;
    if (this.#isClosed) throw new BowlineError("Cancelled", "The agent is going away.");
    const current = this.#pool;
    this.#checkedAtMs = this.#options.clock.monotonicMs();
    if (current !== undefined && isSame(current.material, material)) return current.agent;
    const agent = this.#newAgent(material);
    this.#pool = { agent, material, idle: new IdleSockets(agent, this.#options.clock) };
    if (current !== undefined) retire(current);
    return agent;
  }

  #newAgent(material: TlsMaterial | undefined): Agent {
    const { connection, clock, connectTimeoutMs } = this.#options;
    const limit: ConnectLimit = { clock, limitMs: connectTimeoutMs, place: this.place };
    const { proxyUrl } = connection;
    const options = {
      keepAlive: true,
      keepAliveMsecs: keepAliveInitialDelayMs,
      ...(proxyUrl === undefined ? {} : { proxyEnv: { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl } }),
    };
    if (material === undefined) return new LimitedHttpAgent(options, limit);
    const { host } = this.target;
    return new LimitedHttpsAgent(
      {
        ...options,
        secureContext: secureContextOf(material),
        rejectUnauthorized: material.insecureSkipVerify !== true,
        // Addresses are not sent as a name; the certificate has to be for them all the same.
        servername: material.serverName ?? (isIP(host) === 0 ? host : ""),
      },
      limit,
    );
  }
}

function isSame(a: TlsMaterial | undefined, b: TlsMaterial | undefined): boolean {
  return (
    a?.ca === b?.ca &&
    a?.cert === b?.cert &&
    a?.key === b?.key &&
    a?.serverName === b?.serverName &&
    a?.insecureSkipVerify === b?.insecureSkipVerify
  );
}

/** Closes what is idle now, and everything else once its request is done. */
function retire({ agent, idle }: Pool): void {
  idle.stop();
  agent.maxFreeSockets = 0;
  for (const socket of freeSockets(agent)) socket.destroy();
}
