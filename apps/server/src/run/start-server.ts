import { randomUUID } from "node:crypto";

import { bootstrapAdmin, openAccess } from "@bowline/auth";
import { BowlineError, LinkedAbortController, type Address, type Clock } from "@bowline/core";
import { openGateway, type ClusterTunnels, type Gateway, type GatewayOptions } from "@bowline/gateway";
import {
  startProgram,
  type HeapTuning,
  type ProgramOptions,
  type ProgramShell,
  type RunningProgram,
} from "@bowline/program";

import type { ServerConfig } from "../config/server-config.ts";
import { openDataFolder } from "../data-folder/data-folder.ts";
import { ClusterGraphs } from "../graph/cluster-graphs.ts";
import { GrantCache } from "../proxy/admission/grant-cache.ts";
import { ReportHealth } from "../reports/report-health.ts";
import type { JoinEndpoint } from "../provisioning/join-token.ts";
import { openProviders } from "../provisioning/open-providers.ts";
import type { Providers } from "../provisioning/provider-round.ts";
import { openSources } from "../sources/open-sources.ts";
import { holdsAgents, reachesAgents, rendererNames, oidcSettings } from "./config-parts.ts";
import { databaseAddress, openDatabase } from "./open-database.ts";
import { openFront, type Front } from "./open-front.ts";
import { openReplicaTrust } from "./replica-trust.ts";
import { startBackground, type Background } from "./start-background.ts";
import { ClusterClients } from "../workloads/cluster-clients.ts";
import { addressText, advertisedUrl, consoleUrlAt, agentUrls, replicaUrl } from "./server-urls.ts";
import { openServingCertificate, type ServingCertificate } from "./serving-certificate.ts";

/** The facts about a server that answers, for those who started it. */
interface ServerFacts {
  /** The address that clients are told. */
  readonly url: string;
  /** Where it listens: `host:port`. */
  readonly address: string;
  /** Where browsers of this machine find the console without TLS; undefined when nobody asked for that. */
  readonly consoleUrl: string | undefined;
  /** Where the data is, for people. */
  readonly data: string;
  /** The CA that clients have to trust, where the server made it itself. */
  readonly caFile: string | undefined;
  /** `sha256:…` of the CA; undefined without TLS, and for a certificate that was given without its CA. */
  readonly caFingerprint: string | undefined;
  /** On the first start only. */
  readonly adminToken: string | undefined;
  readonly adminTokenFile: string;
}

interface ServerOptions extends ProgramOptions {
  /** What makes clusters; missing for those that the settings name. */
  readonly providers?: Providers;
}

export type RunningServer = ServerFacts & RunningProgram;

/** A server without TLS has no agents. */
const noTunnels: ClusterTunnels = {
  find: () =>
    Promise.reject(new BowlineError("AgentOffline", "This server speaks no TLS, and takes no agents.")),
};

const heap: HeapTuning = {
  maxYoungBytes: 16 * 1024 * 1024,
  passesRequests: {
    /** Two thirds of what a server has with a few agents, and a tenth of what it has with thousands. */
    roomForGarbageBytes: 24 * 1024 * 1024,
    /**
     * A server has more under way at once than an agent. A buffer that waits through two collections of the young
     * generation is taken for old, and then only a full one frees it; so they must not come too often.
     */
    collectEveryBytes: 8 * 1024 * 1024,
  },
};
/** No version of Bowline was made before this: a clock that says so is not set. */
const oldestNowMs = Date.UTC(2026, 0, 1);

/**
 * Opens everything and listens. Rejects with one sentence about what is in the way; then nothing is left open. What was
 * opened last is closed first, after requests and controllers had their time to finish.
 */
export function startServer(config: ServerConfig, options: ServerOptions): Promise<RunningServer> {
  const { drainDelay, drainTime, warnings } = config;
  const plan = { drainTimeMs: drainDelay + drainTime, heap, warnings };
  return startProgram(options, plan, (shell) => open(config, options, shell));
}

async function open(config: ServerConfig, options: ServerOptions, shell: ProgramShell): Promise<ServerFacts> {
  const { clock, random, logger, version } = options;
  const { shutdown, stopping: signal, metrics, bytesPassed } = shell;
  requireSetClock(clock);
  const folder = openDataFolder(config.data);
  const owner = randomUUID();

  const store = await openDatabase({ config, folder, clock, logger, signal });
  shutdown.add("the store", () => store.close());
  const servesApi = config.role === "all" || config.role === "api";
  const givenToken = config.admin.token;
  const admin = servesApi ? await bootstrapAdmin({ store, folder: folder.path, givenToken }) : undefined;
  const access = await openAccess({
    store,
    oidc: oidcSettings(config),
    sessionIdleMs: config.session.idle,
    clock,
    random,
  });
  shutdown.add("access control", () => access.close());
  const certificate = await openServingCertificate({ config, folder, store, clock });
  const replicas = await openReplicaTrust({ config, folder, store, clock, random });
  const health = holdsAgents(config) ? new ReportHealth({ store, clock, random, logger }) : undefined;
  shutdown.add("the health of workloads", () => health?.close());
  await health?.start();
  const graphs = new ClusterGraphs({ source: store.graph, clock });
  shutdown.add("the graphs of clusters", () => graphs.close());
  const gateway = await openAgentGateway(config, {
    store,
    clock,
    random,
    logger,
    metrics,
    version,
    owner,
    replicas,
    reportSink: health,
    graphSink: graphs,
  });
  shutdown.add("the gateway", (limit) => gateway?.close(0, limit));
  const grants = new GrantCache({ store, clock, random });
  shutdown.add("grants", () => grants.close());
  // Questions about clusters are answered where no agent connects, too.
  if (gateway !== undefined || config.role === "api") await grants.start();
  const tunnels = gateway?.tunnels ?? noTunnels;
  const clients = new ClusterClients({ store, grants, tunnels, clock, logger });
  shutdown.add("clients of clusters", () => clients.close());
  const sources = openSources({
    folder: folder.path,
    renderers: rendererNames(config),
    store,
    metrics,
    owner,
    clock,
    random,
    logger,
  });
  shutdown.add("sources in git", () => sources.close());
  const opened = openProviders({
    config,
    folder: folder.path,
    store,
    clients,
    clock,
    environment: process.env,
  });
  shutdown.add("providers of clusters", async () => opened[Symbol.asyncDispose]());
  const { providers = opened.providers } = options;
  // Known when it listens; what is in the background has begun by then.
  const joining: { endpoint?: JoinEndpoint | undefined } = {};
  const background = await startBackground({
    config,
    providers,
    aws: opened.aws,
    endpoint: () => joining.endpoint,
    version,
    store,
    graphs,
    grants,
    clients,
    sources,
    metrics,
    owner,
    clock,
    random,
    logger,
  });
  shutdown.add("the broker", () => background.close());
  background.failed.catch((error: unknown) => shell.end(BowlineError.from(error)));
  const front = await openFront({
    config,
    store,
    access,
    background,
    metrics,
    certificate: certificate?.source,
    replicaCertificate: replicas?.certificate,
    gateway,
    grants,
    graphs,
    clients,
    sources,
    providers,
    bytesPassed,
    joinEndpoint: (bound) => joinEndpoint(config, certificate, bound),
    clock,
    logger,
    version,
    draining: shutdown.signal,
  });
  shutdown.add(
    "requests and controllers",
    (limit) => drain({ config, front, gateway, background, clock, limit }),
    {
      limitMs: shell.drainLimitMs,
    },
  );
  signal.throwIfAborted();
  const bound = await front.listen(config.listen);
  joining.endpoint = joinEndpoint(config, certificate, bound);
  if (holdsAgents(config)) {
    await gateway?.enter({ url: replicaUrl(config, bound), agentUrls: agentUrls(config, bound) });
  }

  const consoleUrl = await openLoopbackConsole(config, front);

  const url = advertisedUrl(config, bound);
  const address = addressText(bound);
  logger.info({ url, address, role: config.role, consoleUrl }, "Listening");
  return {
    url,
    address,
    consoleUrl,
    data:
      config.database.url === undefined
        ? folder.path
        : `PostgreSQL at ${databaseAddress(config.database.url)}`,
    caFile: certificate?.caFile,
    caFingerprint: certificate?.caFingerprint,
    adminToken: admin?.secret,
    adminTokenFile: admin?.file ?? folder.adminToken,
  };
}

/** Where browsers of this machine find the console without TLS. */
async function openLoopbackConsole(
  { console: { listen } }: ServerConfig,
  front: Pick<Front, "listenPlainly">,
): Promise<string | undefined> {
  return listen === undefined ? undefined : consoleUrlAt(await front.listenPlainly(listen));
}

async function openAgentGateway(config: ServerConfig, options: GatewayOptions): Promise<Gateway | undefined> {
  if (reachesAgents(config)) return openGateway(options);
  options.logger.info("No agent can connect, because this server speaks no TLS");
  return undefined;
}

function joinEndpoint(
  config: ServerConfig,
  certificate: ServingCertificate | undefined,
  bound: Address,
): JoinEndpoint | undefined {
  if (certificate === undefined) return undefined;
  const { caPem, caFingerprint } = certificate;
  return { servers: agentUrls(config, bound), caPem, caFingerprint };
}

function requireSetClock(clock: Clock): void {
  if (clock.now() >= oldestNowMs) return;
  throw new BowlineError(
    "InvalidArgument",
    `The clock of this machine says that it is ${new Date(clock.now()).toISOString()}; set it, or no certificate and no token will work.`,
  );
}

interface DrainOptions {
  readonly config: Pick<ServerConfig, "drainDelay" | "drainTime">;
  readonly front: Pick<Front, "close" | "isListening">;
  readonly background: Pick<Background, "stop">;
  readonly gateway: Pick<Gateway, "heldElsewhere"> | undefined;
  readonly clock: Clock;
  /** Aborts when the shutdown has no more time for this. */
  readonly limit: AbortSignal;
}

/**
 * Readiness has failed since the shutdown began. After the delay, in which agents find another replica where there is
 * one, nothing new is accepted, watches are told to go elsewhere, and requests and controllers finish, side by side,
 * within the drain time. Agents that are late take up to half of that.
 */
async function drain({ config, front, gateway, background, clock, limit }: DrainOptions): Promise<void> {
  const { drainDelay, drainTime } = config;
  const isDelayed = drainDelay > 0 && front.isListening;
  if (isDelayed) await clock.sleep(drainDelay, limit);
  using cut = new LinkedAbortController(limit);
  const cancel = clock.after(drainTime, () => cut.abort());
  try {
    if (isDelayed) await waitForAgents(gateway, { clock, limitMs: drainTime / 2, signal: cut.signal });
    await Promise.all([front.close(cut.signal), background.stop()]);
  } finally {
    cancel();
  }
}

async function waitForAgents(
  gateway: DrainOptions["gateway"],
  {
    clock,
    limitMs,
    signal,
  }: { readonly clock: Clock; readonly limitMs: number; readonly signal: AbortSignal },
): Promise<void> {
  using late = new LinkedAbortController(signal);
  const cancel = clock.after(limitMs, () => late.abort());
  try {
    await gateway?.heldElsewhere(late.signal);
  } finally {
    cancel();
  }
}
