import type { IncomingMessage, ServerResponse } from "node:http";

import { BowlineError, hasCode, type Clock, type Logger, type Metrics } from "@bowline/core";
import type { FastifyRequest } from "fastify";

import type { Access, ClusterAccess, Identity } from "@bowline/auth";
import type { Store } from "@bowline/store";
import type { ClusterTunnels, TunnelRoute } from "@bowline/gateway";
import { admitRequest, covers, type AdmittedRequest } from "./admission/admit-request.ts";
import type { UpgradeRequest } from "../http/upgrades.ts";
import { agentOffline } from "./answer/failure.ts";
import { proxyRecord } from "./proxy-record.ts";
import { ProxyAudit } from "./proxy-audit.ts";
import { OpenRequests } from "./transfer/open-requests.ts";
import { ProxiedRequest, type RequestHost } from "./transfer/proxied-request.ts";
import type { GrantCache } from "./admission/grant-cache.ts";
import { defaultProxyLimits, type ProxyLimits, UsageTable } from "./admission/usage-table.ts";
import { ProxyMetrics } from "./proxy-metrics.ts";
import { Refusals } from "./refusals.ts";
import { addImpersonation, requestHeaders } from "./request/request-headers.ts";
import { upgradeHeaders } from "./request/upgrade-headers.ts";

export interface ClusterProxyOptions {
  readonly store: Pick<Store, "audit">;
  readonly access: Pick<Access, "ended">;
  /** Who may reach what; closed by whoever opened it. */
  readonly grants: GrantCache;
  readonly tunnels: ClusterTunnels;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  readonly limits?: Partial<ProxyLimits>;
  /** Told how many bytes have passed, as they pass. */
  readonly bytesPassed?: ((count: number) => void) | undefined;
}

/** A request that has been authenticated, and what to answer it on. */
export interface IncomingRequest {
  readonly request: FastifyRequest;
  readonly response: ServerResponse;
  readonly upgrade: UpgradeRequest | undefined;
  /** It is on its way to the cluster: the answer is written by the proxy from now on. */
  readonly onSent: (admitted: AdmittedRequest) => void;
}

/** Passes requests on to clusters: decides who may, as whom, and looks after those under way. */
export class ClusterProxy {
  readonly refusals: Refusals;
  readonly #options: ClusterProxyOptions;
  readonly #limits: ProxyLimits;
  readonly #grants: GrantCache;
  readonly #usage: UsageTable;
  readonly #openRequests: OpenRequests;
  readonly #audit: ProxyAudit;
  readonly #metrics: ProxyMetrics | undefined;
  readonly #host: RequestHost;
  readonly #stopListening: () => void;

  constructor(options: ClusterProxyOptions) {
    const { store, access, grants, clock, logger, metrics } = options;
    this.#options = options;
    this.#limits = { ...defaultProxyLimits, ...options.limits };
    this.#grants = grants;
    this.#usage = new UsageTable(this.#limits, clock);
    this.#openRequests = new OpenRequests({ clock, access });
    this.#metrics =
      metrics === undefined ? undefined : new ProxyMetrics(metrics, () => this.#openRequests.open);
    const onDropped = (count: number): void => this.#metrics?.auditDropped(count);
    this.#audit = new ProxyAudit({ log: store.audit, clock, logger, onDropped });
    this.refusals = new Refusals({ clock, logger, metrics: this.#metrics });
    this.#host = this.#makeHost();
    this.#stopListening = grants.onChange(() => this.#endLost());
  }

  /** Ends watches, waits for other requests until the limit aborts, and writes the last records. */
  async close(limit: AbortSignal): Promise<void> {
    await this.#openRequests.close(limit);
    this.#stopListening();
    await this.#audit.close();
  }

  /** Throws, or rejects, with why a request is not passed on; then nothing was sent, and nothing answered. */
  serve(incoming: IncomingRequest): void | Promise<void> {
    const proxied = this.#prepare(incoming);
    const { cluster } = proxied.admitted.target;
    try {
      const route = this.#options.tunnels.find(cluster);
      if (route instanceof Promise) return this.#sendLater(proxied, incoming, route);
      if (this.#send(proxied, incoming, route)) return undefined;
      return this.#sendLater(proxied, incoming, undefined);
    } catch (error) {
      throw this.#notSent(proxied, error);
    }
  }

  #prepare({ request, response, upgrade }: IncomingRequest): ProxiedRequest {
    const { raw } = request;
    const { clock, access } = this.#options;
    const isUpgrade = upgrade !== undefined;
    const kept = requestHeaders(raw.rawHeaders, raw.headers.connection);
    const admitted = admitRequest(request, { grants: this.#grants, clock, isUpgrade });
    const { user } = admitted.identity;
    const isStream = admitted.request.isStream || isUpgrade;
    if (isStream) access.ended(admitted.identity).throwIfAborted();
    const headers = isUpgrade ? upgradeHeaders(kept, raw.headers) : kept;
    addImpersonation(headers, { access: admitted.access, user, requestId: admitted.requestId });
    const release = this.#usage.take({ user, cluster: admitted.target.cluster, isStream });
    return new ProxiedRequest({
      admitted,
      headers,
      request: raw,
      response,
      upgrade,
      host: this.#host,
      release,
    });
  }

  async #sendLater(
    proxied: ProxiedRequest,
    incoming: IncomingRequest,
    found: Promise<TunnelRoute> | undefined,
  ): Promise<void> {
    const { cluster } = proxied.admitted.target;
    try {
      if (found !== undefined && this.#send(proxied, incoming, await found)) return;
      if (this.#send(proxied, incoming, await this.#options.tunnels.find(cluster))) return;
      throw new BowlineError("TunnelDraining", "It is going away, and no other is there yet.");
    } catch (error) {
      throw this.#notSent(proxied, error);
    }
  }

  /** False when the tunnel went away between being found and being used. */
  #send(proxied: ProxiedRequest, { request, onSent }: IncomingRequest, route: TunnelRoute): boolean {
    requireClient(request.raw);
    if (this.#openRequests.isClosing) {
      throw new BowlineError("ServerUnavailable", "The server is stopping; try again.");
    }
    try {
      proxied.open(route);
    } catch (error) {
      if (hasGone(error)) return false;
      throw error;
    }
    this.#openRequests.add(proxied);
    onSent(proxied.admitted);
    return true;
  }

  #notSent({ release, admitted }: ProxiedRequest, thrown: unknown): BowlineError {
    release();
    const error = BowlineError.from(thrown);
    const { cluster } = admitted.target;
    return error.code === "AgentOffline"
      ? agentOffline(error, cluster, this.#grants.cluster(cluster))
      : error;
  }

  /** Ends what grants do not cover any more. One that covers it as well does not help: it may be as somebody else. */
  #endLost(): void {
    this.#openRequests.endWhere(({ identity, target, access, request }) => {
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

  #makeHost(): RequestHost {
    const { clock, tunnels, bytesPassed = () => {} } = this.#options;
    return {
      bytesPassed,
      answerTimeoutMs: this.#limits.answerTimeoutMs,
      monotonicMs: () => clock.monotonicMs(),
      routeAgain: async (cluster) => tunnels.find(cluster),
      answerError: ({ admitted, response }, error) => {
        const { requestId, target } = admitted;
        return this.refusals.fail(error, response, { requestId, cluster: target.cluster });
      },
      upgraded: ({ admitted }, result) => this.#audit.record(proxyRecord(admitted, result)),
      ended: (proxied, result) => {
        const { admitted } = proxied;
        this.#openRequests.remove(proxied);
        this.#audit.record(proxyRecord(admitted, result));
        this.#metrics?.ended({ cluster: admitted.target.cluster, ...result });
      },
    };
  }
}

function hasGone(error: unknown): boolean {
  return hasCode(error, "TunnelLost", "TunnelDraining");
}

function requireClient({ socket }: IncomingMessage): void {
  if (socket.destroyed) throw new BowlineError("Cancelled", "The client went away.");
}

function isSameAs(one: ClusterAccess, other: ClusterAccess): boolean {
  return one.kubernetesUser === other.kubernetesUser && one.groups.join("\n") === other.groups.join("\n");
}
