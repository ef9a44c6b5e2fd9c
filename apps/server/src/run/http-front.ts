import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";

import {
  BowlineError,
  listenProblem,
  TransientSet,
  type Address,
  type Clock,
  type Logger,
  type TransientMember,
} from "@bowline/core";
import type { FastifyInstance } from "fastify";

import { limitServer, serverOptionsFor, type HttpLimits } from "../http/limits.ts";
import { SharedPort, type AgentSockets, replicaServerName } from "@bowline/gateway";
import { keepCertificateFresh, type CertificateSource } from "../tls/certificate-source.ts";
import type { KeyPair } from "@bowline/tls";

export interface HttpFrontOptions {
  /** Undefined for a server that does not speak TLS. */
  readonly certificate: CertificateSource | undefined;
  /** For other replicas, who ask for it by name. */
  readonly replicaCertificate?: CertificateSource | undefined;
  /** Takes the connections of agents; without it there are none. */
  readonly agents?: AgentSockets | undefined;
  /**
   * Aborts when the server begins to stop, while it still listens. From then on each answer says that its connection
   * ends: clients that ask again take another one, and none of them is asked on the moment it is closed.
   */
  readonly draining?: AbortSignal | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Answer extends TransientMember {
  readonly response: ServerResponse;
}

/** The events of a server by which it hands on what came in. */
const passedEvents = ["request", "upgrade", "checkContinue", "checkExpectation", "clientError"] as const;
/** A client that connects and says nothing. */
const handshakeTimeoutMs = 10_000;

/**
 * The sockets that the API is served on. There may be several of them, since a name such as `localhost` may stand for
 * an address of each family; all are shown the certificate as it is now.
 */
export class HttpFront {
  readonly #options: HttpFrontOptions;
  readonly #servers: (Server | TlsServer)[] = [];
  /** Answers under way. */
  readonly #answers = new TransientSet<Answer>();
  readonly #stop = new AbortController();
  #refreshing: Promise<unknown> | undefined;

  constructor(options: HttpFrontOptions) {
    this.#options = options;
    options.draining?.addEventListener("abort", () => this.#announceEnd(), { once: true });
  }

  /** Makes a server for the API. */
  readonly createServer = (handler: RequestListener, limits: HttpLimits): Server => {
    const { certificate } = this.#options;
    const server =
      certificate === undefined
        ? createServer(serverOptionsFor(limits), handler)
        : this.#createTlsServer(certificate, handler, limits);
    server.prependListener("request", (_, response) => this.#track(response));
    this.#servers.push(server);
    return server;
  };

  /**
   * Listens without TLS as well, for browsers of this machine: whatever comes in there takes the way of everything else.
   */
  async listenPlainly(app: FastifyInstance, address: Address, limits: HttpLimits): Promise<Address> {
    const server = createServer(serverOptionsFor(limits));
    limitServer(server, limits);
    for (const event of passedEvents) {
      if (app.server.listenerCount(event) === 0) continue;
      server.on(event, (...facts: unknown[]) => void app.server.emit(event, ...facts));
    }
    const shouldUpgradeCallback = (request: IncomingMessage): boolean => {
      const decide: unknown = Reflect.get(app.server, "shouldUpgradeCallback");
      return typeof decide === "function" && decide(request) === true;
    };
    Object.assign(server, { shouldUpgradeCallback });
    this.#servers.push(server);
    try {
      server.listen({ host: address.host, port: address.port });
      await once(server, "listening");
    } catch (error) {
      throw listenError(address, error, "--console-listen");
    }
    const bound = server.address();
    return {
      host: address.host,
      port: typeof bound === "object" && bound !== null ? bound.port : address.port,
    };
  }

  /** Resolves to the address it has, which differs where port 0 was asked for. */
  async listen(app: FastifyInstance, address: Address): Promise<Address> {
    try {
      await app.listen({ host: address.host, port: address.port, listenTextResolver: () => "" });
    } catch (error) {
      throw listenError(address, error, "--listen");
    }
    this.#keepFresh();
    const [bound] = app.addresses();
    return typeof bound === "object" ? { host: address.host, port: bound.port } : address;
  }

  /**
   * Accepts nothing any more, then has streams ended, so that their clients turn to another server, and waits for the
   * requests under way until the signal aborts, which cuts them. Each connection ends with the answer it waits for.
   */
  async close(app: FastifyInstance, endStreams: () => Promise<void>, signal: AbortSignal): Promise<void> {
    this.#stop.abort();
    const closed = this.#servers.map((server) => closeServer(server));
    this.#announceEnd();
    const cut = (): void => {
      this.#options.logger.warn("Connections are cut, because requests did not end within the drain time");
      for (const server of this.#servers) server.closeAllConnections();
    };
    if (signal.aborted) cut();
    signal.addEventListener("abort", cut, { once: true });
    try {
      await Promise.all([...closed, endStreams(), this.#refreshing]);
    } finally {
      signal.removeEventListener("abort", cut);
      // Afterwards, because it closes what requests still need.
      await app.close();
    }
  }

  #createTlsServer(certificate: CertificateSource, handler: RequestListener, limits: HttpLimits): TlsServer {
    const port = new SharedPort(this.#options.agents);
    const server = createTlsServer(
      {
        ...serverOptionsFor(limits),
        ...certificate.current,
        ...port.options,
        handshakeTimeout: handshakeTimeoutMs,
      },
      handler,
    );
    port.divert(server);
    const { replicaCertificate } = this.#options;
    if (replicaCertificate !== undefined) server.addContext(replicaServerName, replicaCertificate.current);
    return server;
  }

  #announceEnd(): void {
    for (const { response } of this.#answers) makeLast(response);
  }

  #track(response: ServerResponse): void {
    if (this.#stop.signal.aborted || this.#options.draining?.aborted === true) makeLast(response);
    const answer: Answer = { response, slot: -1 };
    this.#answers.add(answer);
    response.once("close", () => this.#answers.delete(answer));
  }

  #keepFresh(): void {
    const { certificate, replicaCertificate } = this.#options;
    this.#refreshing = Promise.all([
      this.#refresh(certificate, (server, pair) => server.setSecureContext(pair)),
      this.#refresh(replicaCertificate, (server, pair) => server.addContext(replicaServerName, pair)),
    ]);
  }

  async #refresh(
    source: CertificateSource | undefined,
    show: (server: TlsServer, pair: KeyPair) => void,
  ): Promise<void> {
    if (source === undefined) return;
    const { clock, logger } = this.#options;
    await keepCertificateFresh({
      source,
      clock,
      signal: this.#stop.signal,
      onRenewed: (pair) => {
        for (const server of this.#servers) if ("setSecureContext" in server) show(server, pair);
        logger.info("The certificate was renewed");
      },
      onFailure: (error) => logger.error({ err: error }, "The certificate cannot be renewed"),
    });
  }
}

/** Closes the connection after this answer. */
function makeLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}

/** Resolves when it has no connections any more, also when it has never had any. */
async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
}

function listenError({ host, port }: Address, error: unknown, flag: string): BowlineError {
  const problem = listenProblem(error, flag);
  return new BowlineError("InvalidArgument", `The server cannot listen on ${host}:${port}: ${problem}.`, {
    cause: error,
  });
}
