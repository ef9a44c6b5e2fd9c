import { once } from "node:events";
import { createServer, request, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";
import { duplexPair } from "node:stream";
import { text } from "node:stream/consumers";
import { connect as tlsConnect } from "node:tls";

import { AccessGrant, Cluster, type AuditRecord, type SpecOf } from "@bowline/api";
import { BowlineError, createLogger, Metrics, systemClock, type Clock } from "@bowline/core";
import { duplexChannel, TunnelConnection, type AcceptStream } from "@bowline/protocol";
import type { FastifyInstance } from "fastify";
import { onTestFinished } from "vitest";

import { serverOptionsFor } from "../../http/limits.ts";
import { createHttpApi, type HttpApiOptions } from "../../api/http-api.ts";
import { TestAccess } from "../../api/testing/test-access.ts";
import type { Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import type { KeyPair } from "@bowline/tls";
import type { ClusterTunnels, TunnelRoute } from "@bowline/gateway";
import { GrantCache } from "../admission/grant-cache.ts";
import { ClusterProxy } from "../cluster-proxy.ts";
import type { ProxyLimits } from "../admission/usage-table.ts";
import { proxyRoutes } from "../proxy-routes.ts";
import { agentSide } from "@bowline/gateway/testing";

type GrantSpec = SpecOf<typeof AccessGrant>;

export interface HarnessOptions {
  /** The handler of the API server. */
  readonly onRequest?: RequestListener;
  readonly limits?: Partial<ProxyLimits>;
  /** Of the API as a whole. */
  readonly httpLimits?: HttpApiOptions["limits"];
  readonly clock?: Clock;
  /** Takes the place of the agent. */
  readonly accept?: AcceptStream;
  /** A key and a certificate, for a server that speaks TLS. */
  readonly tls?: KeyPair;
  /** What else the API serves. */
  readonly more?: (parts: HarnessParts) => Pick<HttpApiOptions, "plugins" | "watches">;
  /** Grants beside that of the operator, by name. */
  readonly grants?: Readonly<Record<string, Partial<GrantSpec>>>;
}

type HarnessParts = Pick<ProxyHarness, "store" | "access" | "metrics"> & { readonly clock: Clock };

/** A server with one cluster, `prod`, that the operator may reach as `admin` of the group `bowline:admins`. */
export interface ProxyHarness {
  readonly app: FastifyInstance;
  readonly proxy: ClusterProxy;
  readonly grants: GrantCache;
  readonly store: Store;
  readonly access: TestAccess;
  readonly metrics: Metrics;
  readonly port: number;
  /** The API server. */
  readonly upstream: Server;
  readonly tunnels: TestTunnels;
  readonly call: (path: string, options?: CallOptions) => Promise<Answer>;
  readonly begin: (path: string, options?: CallOptions) => ReturnType<typeof request>;
  /** Sends the head of an upgrade and resolves when an answer has begun. */
  readonly upgrade: (lines: readonly string[], early?: string) => Promise<Upgraded>;
  readonly writeGrant: (name: string, spec: Partial<GrantSpec>) => Promise<void>;
  /** Records of requests to clusters, oldest first; closes everything. */
  readonly audited: () => Promise<readonly AuditRecord[]>;
  /** Resolves when no stream is open on either side of the tunnel. */
  readonly idle: () => Promise<void>;
}

interface CallOptions {
  readonly cluster?: string;
  readonly as?: string | null;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

interface Upgraded {
  readonly socket: Socket;
  readonly head: string;
  /** Bytes that came right after the head. */
  readonly early: string;
}

class TestTunnels implements ClusterTunnels {
  readonly #accept: AcceptStream;
  server: TunnelConnection;
  agent: TunnelConnection;
  isOffline = false;
  /** As another replica would answer. */
  isAsync = false;
  lastSeenAt: string | undefined;

  constructor(accept: AcceptStream) {
    this.#accept = accept;
    [this.server, this.agent] = this.#connect();
  }

  find(cluster: string): TunnelRoute | Promise<TunnelRoute> {
    if (this.isOffline) {
      const details = this.lastSeenAt === undefined ? {} : { lastSeenAt: this.lastSeenAt };
      const error = new BowlineError("AgentOffline", `No agent of ${cluster} is connected.`, { details });
      if (this.isAsync) return Promise.reject(error);
      throw error;
    }
    const { server } = this;
    const route: TunnelRoute = { agent: "agent-1", open: (...args) => server.open(...args) };
    return this.isAsync ? Promise.resolve(route) : route;
  }

  /** The agent is back, with a new tunnel. */
  reconnect(): void {
    [this.server, this.agent] = this.#connect();
    this.isOffline = false;
  }

  get streams(): number {
    return this.server.streams + this.agent.streams;
  }

  #connect(): [TunnelConnection, TunnelConnection] {
    const [near, far] = duplexPair();
    return [
      new TunnelConnection(duplexChannel(near), { clock: systemClock }),
      new TunnelConnection(duplexChannel(far), { clock: systemClock, accept: this.#accept }),
    ];
  }
}

export async function openProxy(options: HarnessOptions = {}): Promise<ProxyHarness> {
  const { clock = systemClock, limits = {}, onRequest = (_, outgoing) => void outgoing.end("ok") } = options;
  const upstream = createServer(onRequest);
  const upstreamPort = await listen(upstream);
  const tunnels = new TestTunnels(options.accept ?? agentSide(upstreamPort));
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const access = new TestAccess();
  const metrics = new Metrics({ version: "test", revision: "test" });
  const logger = createLogger({ name: "test", level: "silent" });
  const metadata = { name: "prod", labels: { stage: "prod" }, annotations: {} };
  await store.objects.create(Cluster, { metadata, spec: { provider: "existing" } });
  const grants = new GrantCache({ store, clock, random: Math.random });
  const proxy = new ClusterProxy({
    store,
    access,
    grants,
    tunnels,
    clock,
    logger,
    metrics,
    limits,
  });
  const writeGrant = async (name: string, spec: Partial<GrantSpec>): Promise<void> => {
    await store.objects.write(AccessGrant, name, () => grantNamed(name, spec));
  };
  const kubernetes = { user: "admin", groups: ["bowline:admins"] };
  await writeGrant("operators", { subjects: [{ user: "operator" }], kubernetes });
  for (const [name, spec] of Object.entries(options.grants ?? {})) await writeGrant(name, spec);
  await grants.start();
  const { tls } = options;
  const serverFactory: HttpApiOptions["serverFactory"] =
    tls === undefined
      ? undefined
      : (handler, httpLimits) => createTlsServer({ ...serverOptionsFor(httpLimits), ...tls }, handler);
  const more = options.more?.({ store, access, metrics, clock });
  const app = await createHttpApi({
    store,
    access,
    logger,
    metrics,
    watches: more?.watches,
    plugins: [proxyRoutes(proxy), ...(more?.plugins ?? [])],
    limits: options.httpLimits ?? {},
    serverFactory,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const close = async (limit: AbortSignal): Promise<void> => {
    await proxy.close(limit);
    await grants.close();
    app.server.closeAllConnections();
    await app.close();
  };
  onTestFinished(async () => {
    await close(AbortSignal.abort());
    tunnels.server.close();
    tunnels.agent.close();
    upstream.closeAllConnections();
    upstream.close();
  });
  const begin = (path: string, call: CallOptions = {}): ReturnType<typeof request> => start(port, path, call);
  return {
    app,
    proxy,
    grants,
    store,
    access,
    metrics,
    port,
    upstream,
    tunnels,
    begin,
    writeGrant,
    call: async (path, call = {}) => wholeAnswerOf(begin(path, call), call),
    upgrade: (lines, early = "") => {
      const address = { port, host: "127.0.0.1", allowHalfOpen: true };
      const socket =
        tls === undefined ? connect(address) : tlsConnect({ ...address, rejectUnauthorized: false });
      return upgradeOn(socket, lines, early);
    },
    audited: async () => {
      await close(AbortSignal.timeout(5_000));
      const { items } = await store.audit.list();
      return items.filter(({ verb }) => verb === "proxy").toReversed();
    },
    idle: async () => {
      while (tunnels.streams > 0) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function start(port: number, path: string, options: CallOptions): ReturnType<typeof request> {
  const { cluster = "prod", as = "operator", method = "GET", headers = {} } = options;
  return request({
    host: "127.0.0.1",
    port,
    method,
    path: `/clusters/${cluster}${path}`,
    headers: {
      ...(as === null ? {} : { authorization: `Bearer ${as}` }),
      ...Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          typeof value === "string" ? value : [...value],
        ]),
      ),
    },
    maxHeaderSize: 128 * 1024,
    agent: false,
  });
}

/** The head of an answer; the body is to be read. */
export async function answerOf(outgoing: ReturnType<typeof request>): Promise<IncomingMessage> {
  const [answer]: IncomingMessage[] = await once(outgoing, "response");
  if (answer === undefined) throw new Error("There was no answer.");
  return answer;
}

async function wholeAnswerOf(outgoing: ReturnType<typeof request>, { body }: CallOptions): Promise<Answer> {
  const answer = await answerOf(outgoing.end(body));
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    rawHeaders: answer.rawHeaders,
    text: await text(answer),
  };
}

async function upgradeOn(socket: Socket, lines: readonly string[], early: string): Promise<Upgraded> {
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write([...lines, "", early].join("\r\n"));
  let received = "";
  while (!received.includes("\r\n\r\n")) {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) await once(socket, "readable");
    else received += chunk.toString("latin1");
  }
  const end = received.indexOf("\r\n\r\n");
  return { socket, head: received.slice(0, end), early: received.slice(end + 4) };
}

function grantNamed(name: string, spec: Partial<GrantSpec>) {
  return {
    metadata: { name, labels: {}, annotations: {} },
    spec: {
      subjects: [{ user: "operator" }],
      clusters: { selector: { matchLabels: {}, matchExpressions: [] } },
      kubernetes: { groups: [] },
      ...spec,
    },
  };
}
