import type { IncomingMessage, ServerResponse } from "node:http";

import { BowlineError, type Clock, type Logger, type Metrics, type Random } from "@bowline/core";
import type { FastifyRequest } from "fastify";

import type { Access, ClusterAccess, Identity } from "@bowline/auth";
import type { Store } from "@bowline/store";
import type { ClusterTunnels, TunnelRoute } from "@bowline/gateway";
import { admitCall } from "./admit-call.ts";
import { agentOffline } from "./answer/agent-offline.ts";
import { callRecord } from "./audit/call-record.ts";
import { ProxyAudit } from "./audit/proxy-audit.ts";
import { ExchangeTable } from "./exchange/exchange-table.ts";
import { ProxyExchange, type ExchangeHost } from "./exchange/proxy-exchange.ts";
import type { UpgradeRequest } from "./exchange/upgraded-socket.ts";
import { covers } from "./grants/choose-grant.ts";
import { GrantCache } from "./grants/grant-cache.ts";
import { defaultProxyLimits, type ProxyLimits } from "./limits/proxy-limits.ts";
import { UsageTable } from "./limits/usage-table.ts";
import type { ProxiedCall } from "./proxied-call.ts";
import { ProxyMetrics } from "./proxy-metrics.ts";
import { Refusals } from "./refusals.ts";
import { addImpersonation } from "./request/impersonation-headers.ts";
import { requestHeaders } from "./request/request-headers.ts";
import { upgradeHeaders } from "./request/upgrade-headers.ts";

export interface ClusterProxyOptions {
  readonly store: Pick<Store, "objects" | "changes" | "audit">;
  readonly access: Pick<Access, "ended">;
  readonly tunnels: ClusterTunnels;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  readonly limits?: Partial<ProxyLimits>;
  /** Told how many bytes have passed, as they pass. */
  readonly bytesPassed?: ((count: number) => void) | undefined;
}

/** A request that has been authenticated, and what to answer it on. */
export interface IncomingCall {
  readonly request: FastifyRequest;
  readonly response: ServerResponse;
  readonly upgrade: UpgradeRequest | undefined;
  /** It is on its way to the cluster: the answer is written by the proxy from now on. */
  readonly onSent: (call: ProxiedCall) => void;
}

/** Passes requests on to clusters: decides who may, as whom, and looks after those under way. */
export class ClusterProxy {
  readonly refusals: Refusals;
  readonly #options: ClusterProxyOptions;
  readonly #limits: ProxyLimits;
  readonly #grants: GrantCache;
  readonly #usage: UsageTable;
  readonly #table: ExchangeTable;
  readonly #audit: ProxyAudit;
  readonly #metrics: ProxyMetrics | undefined;
  readonly #host: ExchangeHost;

  constructor(options: ClusterProxyOptions) {
    const { store, access, clock, random, logger, metrics } = options;
    this.#options = options;
    this.#limits = { ...defaultProxyLimits, ...options.limits };
    this.#grants = new GrantCache({ store, clock, random, onChange: () => this.#endLost() });
    this.#usage = new UsageTable(this.#limits, clock);
    this.#table = new ExchangeTable({ clock, access });
    this.#metrics = metrics === undefined ? undefined : new ProxyMetrics(metrics, () => this.#table.open);
    const onDropped = (count: number): void => this.#metrics?.auditDropped(count);
    this.#audit = new ProxyAudit({ log: store.audit, clock, logger, onDropped });
    this.refusals = new Refusals({ clock, logger, metrics: this.#metrics });
    this.#host = this.#makeHost();
  }

  /** Resolves when it knows who may reach what. */
  start(): Promise<void> {
    return this.#grants.start();
  }

  /** Ends watches, waits for other requests until the limit aborts, and writes the last records. */
  async close(limit: AbortSignal): Promise<void> {
    await this.#table.close(limit);
    await this.#grants.close();
    await this.#audit.close();
  }

  /** Throws, or rejects, with why a request is not passed on; then nothing was sent, and nothing answered. */
  serve(incoming: IncomingCall): void | Promise<void> {
    const exchange = this.#prepare(incoming);
    const { cluster } = exchange.call.target;
    try {
      const route = this.#options.tunnels.find(cluster);
      if (route instanceof Promise) return this.#sendLater(exchange, incoming, route);
      if (this.#send(exchange, incoming, route)) return undefined;
      return this.#sendLater(exchange, incoming, undefined);
    } catch (error) {
      throw this.#notSent(exchange, error);
    }
  }

  #prepare({ request, response, upgrade }: IncomingCall): ProxyExchange {
    const { raw } = request;
    const { clock, access } = this.#options;
    const isUpgrade = upgrade !== undefined;
    const kept = requestHeaders(raw.rawHeaders, raw.headers.connection);
    const call = admitCall(request, { grants: this.#grants, clock, isUpgrade });
    const { user } = call.identity;
    const isStream = call.request.isStream || isUpgrade;
    if (isStream) access.ended(call.identity).throwIfAborted();
    const headers = isUpgrade ? upgradeHeaders(kept, raw.headers) : kept;
    addImpersonation(headers, { access: call.access, user, requestId: call.requestId });
    const release = this.#usage.take({ user, cluster: call.target.cluster, isStream });
    return new ProxyExchange({ call, headers, request: raw, response, upgrade, host: this.#host, release });
  }

  async #sendLater(
    exchange: ProxyExchange,
    incoming: IncomingCall,
    found: Promise<TunnelRoute> | undefined,
  ): Promise<void> {
    const { cluster } = exchange.call.target;
    try {
      if (found !== undefined && this.#send(exchange, incoming, await found)) return;
      if (this.#send(exchange, incoming, await this.#options.tunnels.find(cluster))) return;
      throw new BowlineError("TunnelDraining", "It is going away, and no other is there yet.");
    } catch (error) {
      throw this.#notSent(exchange, error);
    }
  }

  /** False when the tunnel went away between being found and being used. */
  #send(exchange: ProxyExchange, { request, onSent }: IncomingCall, route: TunnelRoute): boolean {
    requireClient(request.raw);
    if (this.#table.isClosing) {
      throw new BowlineError("ServerUnavailable", "The server is stopping; try again.");
    }
    try {
      exchange.open(route);
    } catch (error) {
      if (hasGone(error)) return false;
      throw error;
    }
    this.#table.add(exchange);
    onSent(exchange.call);
    return true;
  }

  #notSent({ release, call }: ProxyExchange, thrown: unknown): BowlineError {
    release();
    const error = BowlineError.from(thrown);
    const { cluster } = call.target;
    return error.code === "AgentOffline"
      ? agentOffline(error, cluster, this.#grants.cluster(cluster))
      : error;
  }

  /** Ends what grants do not cover any more. One that covers it as well does not help: it may be as somebody else. */
  #endLost(): void {
    this.#table.endWhere(({ identity, target, access, request }) => {
      const now = this.#accessTo(identity, target.cluster).find(({ grant }) => grant === access.grant);
      return now === undefined || !isSameAs(now, access) || !covers(now, request);
    });
  }

  #accessTo(identity: Identity, cluster: string): readonly ClusterAccess[] {
    try {
      return this.#grants.accessTo(identity, cluster);
    } catch {
      return [];
    }
  }

  #makeHost(): ExchangeHost {
    const { clock, tunnels, bytesPassed = () => {} } = this.#options;
    return {
      bytesPassed,
      answerTimeoutMs: this.#limits.answerTimeoutMs,
      monotonicMs: () => clock.monotonicMs(),
      routeAgain: async (cluster) => tunnels.find(cluster),
      answerError: ({ call, response }, error) => {
        const { requestId, target } = call;
        return this.refusals.fail(error, response, { requestId, cluster: target.cluster });
      },
      upgraded: ({ call }, result) => this.#audit.record(callRecord(call, result)),
      ended: (exchange, result) => {
        const { call } = exchange;
        this.#table.remove(exchange);
        this.#audit.record(callRecord(call, result));
        this.#metrics?.ended({ cluster: call.target.cluster, ...result });
      },
    };
  }
}

function hasGone(error: unknown): boolean {
  return error instanceof BowlineError && (error.code === "TunnelLost" || error.code === "TunnelDraining");
}

function requireClient({ socket }: IncomingMessage): void {
  if (socket.destroyed) throw new BowlineError("Cancelled", "The client went away.");
}

function isSameAs(one: ClusterAccess, other: ClusterAccess): boolean {
  return one.kubernetesUser === other.kubernetesUser && one.groups.join("\n") === other.groups.join("\n");
}
