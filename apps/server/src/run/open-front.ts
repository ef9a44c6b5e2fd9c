import { randomBytes } from "node:crypto";

import { kinds, type Kind } from "@bowline/api";
import { OidcSignIn, Sessions, type Access } from "@bowline/auth";
import { BowlineError, type Address, type Clock, type Logger, type Metrics, type Rate } from "@bowline/core";
import type { Gateway } from "@bowline/gateway";
import { Health, type HealthCheck } from "@bowline/program/health";
import type { Store } from "@bowline/store";

import { createHttpApi, type ApiPlugin } from "../api/http-api.ts";
import { defaultLimits, type HttpLimits } from "../http/limits.ts";
import { consoleRoutes } from "../console/console-routes.ts";
import { authRoutes } from "../routes/auth-routes.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { JoinEndpoint } from "../provisioning/join-token.ts";
import { joinRoutes } from "../routes/join-routes.ts";
import type { GrantCache } from "../proxy/admission/grant-cache.ts";
import { ClusterProxy } from "../proxy/cluster-proxy.ts";
import { proxyRoutes } from "../proxy/proxy-routes.ts";
import { agentSessionRoutes } from "../routes/agent-session-routes.ts";
import { auditRoutes } from "../routes/audit-routes.ts";
import { backupRoutes } from "../routes/backup-routes.ts";
import { clusterAccessRoutes } from "../routes/cluster-access-routes.ts";
import { diagnosisRoutes } from "../routes/diagnosis-routes.ts";
import { diffRoutes } from "../routes/diff-routes.ts";
import { eventRoutes } from "../routes/event-routes.ts";
import { EventWatch } from "../routes/event-watch.ts";
import { streamRoutes } from "../stream/stream-routes.ts";
import { StreamSockets } from "../stream/stream-sockets.ts";
import type { CertificateSource } from "../tls/certificate-source.ts";
import type { ClusterGraphs } from "../graph/cluster-graphs.ts";
import { GraphQuestions } from "../graph/graph-questions.ts";
import type { Providers } from "../provisioning/provider-round.ts";
import { planRoutes } from "../routes/plan-routes.ts";
import { hookRoutes } from "../routes/hook-routes.ts";
import { sourceRoutes } from "../routes/source-routes.ts";
import type { Sources } from "../sources/open-sources.ts";
import { graphRoutes } from "../routes/graph-routes.ts";
import { oidcRoutes } from "../routes/oidc-routes.ts";
import { sessionRoutes } from "../routes/session-routes.ts";
import { reportRoutes } from "../routes/report-routes.ts";
import { ReportWatch } from "../routes/report-watch.ts";
import { revisionRoutes } from "../routes/revision-routes.ts";
import { treeRoutes } from "../routes/tree-routes.ts";
import { viewRoutes } from "../routes/view-routes.ts";
import { ViewWatch } from "../routes/view-watch.ts";
import { systemRoutes } from "../routes/system-routes.ts";
import { ObjectWatch } from "../watch/object-watch.ts";
import { defaultWatchLimits, WatcherPool } from "../watch/watcher-pool.ts";
import { WatchMetrics } from "../watch/watch-metrics.ts";
import type { ClusterClients } from "../workloads/cluster-clients.ts";
import { agentImage, holdsAgents, issuerName, oidcClientSettings, passesRequests } from "./config-parts.ts";
import { HttpFront } from "./http-front.ts";
import { consoleUrlAt } from "./server-urls.ts";
import type { Background } from "./start-background.ts";

/** The part of the server that clients talk to. */
export interface Front {
  readonly isListening: boolean;
  /** Resolves to the address it has. */
  listen(address: Address): Promise<Address>;
  /** The same without TLS, for browsers of this machine. */
  listenPlainly(address: Address): Promise<Address>;
  /** Ends watches, sends agents elsewhere, and waits for requests under way until the signal aborts. */
  close(signal: AbortSignal): Promise<void>;
}

export interface FrontOptions {
  readonly config: ServerConfig;
  readonly store: Store;
  readonly access: Access;
  readonly background: Pick<Background, "checks">;
  readonly metrics: Metrics;
  readonly certificate: CertificateSource | undefined;
  /** For other replicas. */
  readonly replicaCertificate?: CertificateSource | undefined;
  /** Where agents connect; without it there are none. The front closes it. */
  readonly gateway?: Gateway | undefined;
  /** Who may reach what in clusters; where there is no gateway, nobody asks. */
  readonly grants?: GrantCache | undefined;
  /** The graphs of clusters; where there are none, nobody asks about them. */
  readonly graphs?: ClusterGraphs | undefined;
  /** The way into clusters for the server itself; without it none can be asked. */
  readonly clients?: ClusterClients | undefined;
  /** What reads repositories; where there is none, other refs cannot be compared. */
  readonly sources?: Sources | undefined;
  /** What makes clusters; where there is none, none can be planned. */
  readonly providers?: Providers | undefined;
  /** Told how many bytes have passed between clients and clusters, as they pass. */
  readonly bytesPassed?: ((count: number) => void) | undefined;
  /** The address and CA for agents of a server that listens there; undefined when it takes none. */
  readonly joinEndpoint?: ((bound: Address) => JoinEndpoint | undefined) | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
  readonly draining: AbortSignal;
}

/** Makes the API with the routes of its role; every role has those for probes and metrics. */
export async function openFront(options: FrontOptions): Promise<Front> {
  const { config, store, access, metrics, clock, logger, certificate, replicaCertificate, gateway } = options;
  const takesAgents = gateway !== undefined && holdsAgents(config);
  const http = new HttpFront({
    certificate,
    replicaCertificate,
    agents: takesAgents ? gateway : undefined,
    draining: options.draining,
    clock,
    logger,
  });
  const proxy = openProxy(options);
  const watchers = new WatcherPool({
    clock,
    limits: { ...defaultWatchLimits, maxWatchers: config.limits.watchers },
    metrics: new WatchMetrics(metrics),
    onError: (error, requestId) => logger.error({ err: error, requestId }, "A watch failed"),
  });
  const streams = new StreamSockets({ access, clock, metrics });
  let bound: Address | undefined;
  let plain: Address | undefined;
  const endpoint = () => (bound === undefined ? undefined : options.joinEndpoint?.(bound));
  const app = await createHttpApi({
    store,
    access,
    logger,
    metrics,
    clock,
    watches: new ObjectWatch(store, watchers),
    kinds: servedKinds(config),
    plugins: pluginsFor(options, { watchers, proxy, streams, endpoint, plainAddress: () => plain }),
    limits: httpLimits(config),
    serverFactory: http.createServer,
    trustedProxies: config.trustedProxies ?? [],
  });
  const endStreams = async (signal: AbortSignal): Promise<void> => {
    await Promise.all([
      watchers.close(),
      proxy?.close(signal),
      streams.close(signal),
      takesAgents ? gateway.close(config.drainTime, signal) : undefined,
    ]);
  };
  return {
    get isListening() {
      return app.server.listening;
    },
    async listen(address) {
      bound = await http.listen(app, address);
      return bound;
    },
    async listenPlainly(address) {
      plain = await http.listenPlainly(app, address, { ...defaultLimits, ...httpLimits(config) });
      return plain;
    },
    close: (signal) => http.close(app, () => endStreams(signal), signal),
  };
}

function openProxy({ config, gateway, grants, ...rest }: FrontOptions): ClusterProxy | undefined {
  if (gateway === undefined || grants === undefined || !passesRequests(config)) return undefined;
  const { requests, concurrentRequests, streams, answerTimeout } = config.proxy;
  return new ClusterProxy({
    ...rest,
    grants,
    tunnels: gateway.tunnels,
    limits: {
      rate: { perSecond: requests, burst: 5 * requests },
      maxRequests: concurrentRequests,
      maxStreams: streams,
      answerTimeoutMs: answerTimeout,
    },
  });
}

function loopbackPart(address: Address | undefined): { readonly loopbackUrl?: string } {
  return address === undefined ? {} : { loopbackUrl: consoleUrlAt(address) };
}

interface Services {
  readonly watchers: WatcherPool;
  readonly proxy: ClusterProxy | undefined;
  readonly streams: StreamSockets;
  readonly endpoint: () => JoinEndpoint | undefined;
  /** Where it listens without TLS, if it does. */
  readonly plainAddress: () => Address | undefined;
}

function pluginsFor(
  options: FrontOptions,
  { watchers, proxy, streams, endpoint, plainAddress }: Services,
): ApiPlugin[] {
  const { config, store, access, clock, metrics, version, background, draining, gateway } = options;
  const readiness = createReadiness({ store, checks: background.checks, draining, clock });
  const openMetrics = config.metrics.access === "anybody";
  const system = systemRoutes({ readiness, metrics, openMetrics, version, kinds: servedKinds(config) });
  const always = proxy === undefined ? [system] : [system, proxyRoutes(proxy)];
  if (!servesApi(config)) return always;
  const sessions = new Sessions({ objects: store.objects, clock, lifetimeMs: config.session.lifetime });
  const client = oidcClientSettings(config);
  const issuerPart = client === undefined ? {} : { oidc: { name: issuerName(config) } };
  return [
    ...always,
    streamRoutes(streams),
    authRoutes({ store, access, clock }),
    sessionRoutes({
      store,
      access,
      clock,
      sessions,
      console: () => ({ version, ...issuerPart, ...loopbackPart(plainAddress()) }),
    }),
    oidcRoutes({
      store,
      access,
      sessions,
      clock,
      logger: options.logger,
      issuer: client === undefined ? undefined : new OidcSignIn({ settings: client, clock }),
      advertisedUrl: config.advertisedUrl,
    }),
    consoleRoutes({ hstsMs: config.console.hsts }),
    auditRoutes(store.audit),
    backupRoutes({ store, clock, version }),
    diagnosisRoutes({
      config,
      store,
      clients: options.clients,
      providers: options.providers ?? new Map(),
      logger: options.logger,
      certificate: options.certificate,
      readiness,
      clock,
      version,
    }),
    eventRoutes({ events: store.events, watch: new EventWatch(store.events.feed, watchers), access }),
    treeRoutes({ store, clock }),
    revisionRoutes(store),
    ...graphPlugins(options, watchers),
    agentSessionRoutes({ objects: store.objects, sessions: store.agents.sessions, gateway }),
    ...sourcePlugins(options),
    planRoutes({ store, access, providers: options.providers ?? new Map(), clock, logger: options.logger }),
    joinRoutes({
      agents: store.agents,
      clock,
      randomBytes,
      image: agentImage(config, version),
      endpoint,
      onRevoked: (revoked) => gateway?.revoked(revoked),
    }),
  ];
}

function sourcePlugins({ store, access, clients, clock, sources }: FrontOptions): ApiPlugin[] {
  const { objects } = store;
  return [
    hookRoutes({ objects, clock }),
    sourceRoutes({ objects, clock }),
    diffRoutes({ store, access, clients, clock, sources: sources?.resolver }),
  ];
}

function graphPlugins(
  { store, access, graphs, grants, clock }: FrontOptions,
  watchers: WatcherPool,
): ApiPlugin[] {
  if (graphs === undefined || grants === undefined) return [];
  const { views } = store.graph;
  return [
    graphRoutes({ questions: new GraphQuestions({ graphs, history: store.graph, grants, clock }) }),
    reportRoutes({ watch: new ReportWatch(store.reportChanges, watchers), grants, access }),
    viewRoutes({ views, watch: new ViewWatch(views, watchers), grants, access }),
    clusterAccessRoutes(grants),
  ];
}

function servesApi({ role }: ServerConfig): boolean {
  return role === "all" || role === "api";
}

/** A server that does not serve the API has no objects to show. */
function servedKinds(config: ServerConfig): readonly Kind[] {
  return servesApi(config) ? kinds : [];
}

function httpLimits({ limits }: ServerConfig): Partial<HttpLimits> {
  return {
    maxBodyBytes: limits.body,
    maxConnections: limits.connections,
    userRate: { perSecond: limits.requests, burst: 5 * limits.requests },
    addressRate: rateOf(limits.strangerRequests),
    pageFileRate: rateOf(pageFileFactor * limits.strangerRequests),
  };
}

/** Files of the console for each other request of a stranger. */
const pageFileFactor = 20;

function rateOf(perSecond: number): Rate {
  return { perSecond, burst: 10 * perSecond };
}

interface ReadinessOptions {
  readonly store: Pick<Store, "ping">;
  readonly checks: ReadonlyMap<string, HealthCheck>;
  /** Aborts when the server begins to stop. */
  readonly draining: AbortSignal;
  readonly clock: Clock;
}

/** Whether clients should be sent here. */
function createReadiness({ store, checks, draining, clock }: ReadinessOptions): Health {
  const health = new Health({ clock });
  health.add("shutdown", () => {
    if (draining.aborted) throw new BowlineError("ServerUnavailable", "the server is stopping");
  });
  health.add("database", () => store.ping());
  for (const [name, check] of checks) health.add(name, check);
  return health;
}
