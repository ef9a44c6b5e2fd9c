import { kinds, type Kind } from "@bowline/api";
import type { Clock, Logger, Metrics } from "@bowline/core";

import { createHttpApi, type ApiPlugin } from "../api/http-api.ts";
import type { HttpLimits } from "../api/frame/limits.ts";
import type { Access } from "../auth/access.ts";
import { authRoutes } from "../auth/routes/auth-routes.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { Address } from "../config/setting-types.ts";
import { auditRoutes } from "../records/audit-routes.ts";
import { eventRoutes } from "../records/event-routes.ts";
import { EventWatch } from "../records/event-watch.ts";
import type { Store } from "../store/store.ts";
import type { CertificateSource } from "../tls/certificate-source.ts";
import { systemRoutes } from "../system/system-routes.ts";
import { ObjectWatch } from "../watch/object-watch.ts";
import { defaultWatchLimits } from "../watch/stream/watch-limits.ts";
import { WatchMetrics } from "../watch/stream/watch-metrics.ts";
import { WatcherPool } from "../watch/stream/watcher-pool.ts";
import { HttpFront } from "./http-front.ts";
import { createReadiness } from "./readiness.ts";
import type { Background } from "./start-background.ts";

/** What clients talk to. */
export interface Front {
  readonly isListening: boolean;
  /** Resolves to the address it has. */
  listen(address: Address): Promise<Address>;
  /** Ends watches, and waits for requests under way until the signal aborts. */
  close(signal: AbortSignal): Promise<void>;
}

export interface FrontOptions {
  readonly config: ServerConfig;
  readonly store: Store;
  readonly access: Access;
  readonly background: Pick<Background, "checks">;
  readonly metrics: Metrics;
  readonly certificate: CertificateSource | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
  readonly draining: AbortSignal;
}

/** Makes the API with all its routes; those of a server that only runs controllers are for probes and metrics. */
export async function openFront(options: FrontOptions): Promise<Front> {
  const { config, store, access, metrics, clock, logger, certificate } = options;
  const http = new HttpFront({ certificate, clock, logger });
  const watchers = new WatcherPool({
    clock,
    limits: { ...defaultWatchLimits, maxWatchers: config.limits.watchers },
    metrics: new WatchMetrics(metrics),
    onError: (error, requestId) => logger.error({ err: error, requestId }, "A watch failed"),
  });
  const app = await createHttpApi({
    store,
    access,
    logger,
    metrics,
    clock,
    watches: new ObjectWatch(store, watchers),
    kinds: servedKinds(config),
    plugins: pluginsFor(options, watchers),
    limits: httpLimits(config),
    serverFactory: http.createServer,
    trustedProxies: config.trustedProxies ?? [],
  });
  return {
    get isListening() {
      return app.server.listening;
    },
    listen: (address) => http.listen(app, address),
    close: (signal) => http.close(app, () => watchers.close(), signal),
  };
}

function pluginsFor(options: FrontOptions, watchers: WatcherPool): ApiPlugin[] {
  const { config, store, access, clock, metrics, version, background, draining } = options;
  const readiness = createReadiness({ store, checks: background.checks, draining, clock });
  const openMetrics = config.metrics.access === "anybody";
  const system = systemRoutes({ readiness, metrics, openMetrics, version, kinds: servedKinds(config) });
  if (config.role === "controllers") return [system];
  return [
    system,
    authRoutes({ store, access, clock }),
    auditRoutes(store.audit),
    eventRoutes({ events: store.events, watch: new EventWatch(store.events, watchers), access }),
  ];
}

/** A server that only runs controllers has no objects to show. */
function servedKinds({ role }: ServerConfig): readonly Kind[] {
  return role === "controllers" ? [] : kinds;
}

function httpLimits({ limits }: ServerConfig): Partial<HttpLimits> {
  return {
    maxBodyBytes: limits.body,
    maxConnections: limits.connections,
    userRate: { perSecond: limits.requests, burst: 5 * limits.requests },
    addressRate: { perSecond: limits.strangerRequests, burst: 10 * limits.strangerRequests },
  };
}
