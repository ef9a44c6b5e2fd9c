import { randomUUID } from "node:crypto";

import {
  allocateInYoungGeneration,
  BowlineError,
  keepOptimizedCode,
  keepRoomForGarbage,
  Metrics,
  Shutdown,
  type Address,
  type Clock,
  type Logger,
  type Random,
} from "@bowline/core";
import { youngCollector } from "@bowline/protocol";

import { bootstrapAdmin, openAccess } from "@bowline/auth";
import type { ServerConfig } from "../config/server-config.ts";
import { openDataFolder } from "../data-folder/data-folder.ts";
import type { JoinEndpoint } from "../routes/join-routes.ts";
import { openGateway, type Gateway, type GatewayOptions } from "@bowline/gateway";
import { holdsAgents, reachesAgents } from "./agent-roles.ts";
import { addressOf } from "./database-failure.ts";
import { drain } from "./drain.ts";
import { oidcSettings } from "./oidc-settings.ts";
import { openDatabase } from "./open-database.ts";
import { openFront } from "./open-front.ts";
import { openReplicaTrust } from "./replica-trust.ts";
import type { RunningServer } from "./running-server.ts";
import { startBackground } from "./start-background.ts";
import { addressText, advertisedUrl, agentUrls, replicaUrl } from "./server-urls.ts";
import { openServingCertificate, type ServingCertificate } from "./serving-certificate.ts";

export interface StartOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Of the program. */
  readonly version: string;
  /** Stops the server, also while it starts. */
  readonly signal?: AbortSignal;
  /**
   * The server is all that the process does: what is known about the process is added to the metrics, and its memory is
   * looked after, until the process ends.
   */
  readonly ownsProcess?: boolean;
}

/** Beyond the drain, for what has to be written and closed. */
const closingLimitMs = 10_000;
/**
 * A server has more under way at once than an agent. A buffer that waits through two collections of the young generation
 * is taken for old, and then only a full one frees it; so they must not come too often.
 */
const collectEveryBytes = 8 * 1024 * 1024;
/** Two thirds of what a server has with a few agents, and a tenth of what it has with thousands. */
const roomForGarbageBytes = 24 * 1024 * 1024;
/** No version of Bowline was made before this: a clock that says so is not set. */
const oldestNowMs = Date.UTC(2026, 0, 1);

/**
 * Opens everything and listens. Rejects with one sentence about what is in the way; then nothing is left open. What was
 * opened last is closed first, after requests and controllers had their time to finish.
 */
export async function startServer(config: ServerConfig, options: StartOptions): Promise<RunningServer> {
  const { clock, logger, signal } = options;
  const totalLimitMs = config.drainDelay + config.drainTime + closingLimitMs;
  const shutdown = new Shutdown({ clock, stepLimitMs: closingLimitMs, totalLimitMs });
  try {
    const running = await open(config, options, shutdown);
    const stop = (): void => void running.close().catch(() => {});
    signal?.addEventListener("abort", stop, { once: true });
    shutdown.signal.addEventListener("abort", () => signal?.removeEventListener("abort", stop), {
      once: true,
    });
    if (signal?.aborted === true) stop();
    return running;
  } catch (error) {
    await shutdown.run("it could not start").catch((problem: unknown) => {
      logger.error({ err: problem }, "Not everything could be closed");
    });
    throw error;
  }
}

async function open(config: ServerConfig, options: StartOptions, shutdown: Shutdown): Promise<RunningServer> {
  const { clock, random, logger, version, ownsProcess = false } = options;
  const { signal = new AbortController().signal } = options;
  for (const warning of config.warnings) logger.warn(warning);
  requireSetClock(clock);
  const folder = openDataFolder(config.data);
  const metrics = new Metrics({ version, revision: "unknown" });
  if (ownsProcess) {
    metrics.collectProcessMetrics();
    allocateInYoungGeneration();
    keepOptimizedCode();
    shutdown.add("the heap", keepRoomForGarbage(roomForGarbageBytes, clock));
  }
  const bytesPassed = ownsProcess ? youngCollector(collectEveryBytes) : undefined;
  const owner = randomUUID();

  const store = await openDatabase({ config, folder, clock, logger, signal });
  shutdown.add("the store", () => store.close());
  const servesApi = config.role === "all" || config.role === "api";
  const admin = servesApi ? await bootstrapAdmin({ store, folder: folder.path }) : undefined;
  const access = await openAccess({ store, oidc: oidcSettings(config), clock, random });
  shutdown.add("access control", () => access.close());
  const certificate = await openServingCertificate({ config, folder, store, clock });
  const background = await startBackground({ config, store, metrics, owner, clock, random, logger });
  shutdown.add("the broker", () => background.close());
  const replicas = await openReplicaTrust({ config, folder, store, clock, random });
  const gateway = await openAgentGateway(config, {
    store,
    clock,
    random,
    logger,
    metrics,
    version,
    owner,
    replicas,
  });
  shutdown.add("the gateway", (limit) => gateway?.close(0, limit));
  const front = await openFront({
    config,
    store,
    access,
    background,
    metrics,
    certificate: certificate?.source,
    replicaCertificate: replicas?.certificate,
    gateway,
    bytesPassed,
    joinEndpoint: (bound) => joinEndpoint(config, certificate, bound),
    clock,
    random,
    logger,
    version,
    draining: shutdown.signal,
  });
  shutdown.add("requests and controllers", (limit) => drain({ config, front, background, clock, limit }), {
    limitMs: config.drainDelay + config.drainTime + closingLimitMs / 2,
  });
  signal.throwIfAborted();
  const bound = await front.listen(config.listen);
  if (holdsAgents(config)) {
    await gateway?.enter({ url: replicaUrl(config, bound), agentUrls: agentUrls(config, bound) });
  }

  const url = advertisedUrl(config, bound);
  const address = addressText(bound);
  logger.info({ url, address, role: config.role }, "Listening");
  return {
    url,
    address,
    data: config.database.url === undefined ? folder.path : `PostgreSQL at ${addressOf(config.database.url)}`,
    caFile: certificate?.caFile,
    caFingerprint: certificate?.caFingerprint,
    adminToken: admin?.secret,
    adminTokenFile: admin?.file ?? folder.adminToken,
    close: () => shutdown.run("it was closed"),
    ended: whenEnded(shutdown, background.failed, logger),
  };
}

async function openAgentGateway(config: ServerConfig, options: GatewayOptions): Promise<Gateway | undefined> {
  if (reachesAgents(config)) return openGateway(options);
  if (config.role !== "controllers") {
    options.logger.info("No agent can connect, because this server speaks no TLS");
  }
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

/** A part that has given up takes the server with it: whoever watches over the process starts another one. */
function whenEnded(shutdown: Shutdown, failed: Promise<never>, logger: Logger): Promise<void> {
  let failure: BowlineError | undefined;
  failed.catch((error: unknown) => {
    failure = BowlineError.from(error);
    shutdown.run("a part of it failed").catch(() => {});
  });
  shutdown.signal.addEventListener("abort", () => logger.info("Stopping"), { once: true });
  const wait = async (): Promise<void> => {
    await shutdown.finished();
    logger.info("Stopped");
    if (failure !== undefined) throw failure;
  };
  const ended = wait();
  // Whoever closes it may be content with what `close` says.
  ended.catch(() => {});
  return ended;
}

function requireSetClock(clock: Clock): void {
  if (clock.now() >= oldestNowMs) return;
  throw new BowlineError(
    "InvalidArgument",
    `The clock of this machine says that it is ${new Date(clock.now()).toISOString()}; set it, or no certificate and no token will work.`,
  );
}
