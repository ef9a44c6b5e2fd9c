import { randomUUID } from "node:crypto";

import { User } from "@bowline/api";
import type { Identity } from "@bowline/auth";
import { LruMap, type Clock, type Logger } from "@bowline/core";
import { ClusterTransport, type ClusterTunnels } from "@bowline/gateway";
import { Discovery, KubeClient } from "@bowline/kube";
import type { Store } from "@bowline/store";

import { ActingTransport, type OnAnswer } from "../proxy/acting-transport.ts";
import type { GrantCache } from "../proxy/admission/grant-cache.ts";
import { ProxyAudit } from "../proxy/proxy-audit.ts";
import type { PlacementSpec } from "./resolve-workload.ts";

export interface ClusterClientsOptions {
  readonly store: Pick<Store, "objects" | "audit">;
  readonly grants: GrantCache;
  readonly tunnels: ClusterTunnels;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A request to the server for which clusters are asked. */
export interface ActingFor {
  readonly requestId: string;
  /** Where it came from. */
  readonly address: string | undefined;
}

export interface ActingOptions {
  /** The request that somebody waits for, where there is one. */
  readonly request?: ActingFor | undefined;
  /** Called when a request to the cluster is over. */
  readonly onAnswer?: OnAnswer | undefined;
}

/** Clusters whose APIs are remembered; each takes up to a megabyte. */
const maxDiscoveries = 200;

/** Clients for clusters: as somebody, by their grants, or as the agent itself. */
export class ClusterClients {
  readonly #options: ClusterClientsOptions;
  readonly #audit: ProxyAudit;
  readonly #discoveries = new LruMap<string, Discovery>(maxDiscoveries);

  constructor(options: ClusterClientsOptions) {
    const { store, clock, logger } = options;
    this.#options = options;
    const onDropped = (count: number): void => logger.error({ count }, "Records of the audit log were lost");
    this.#audit = new ProxyAudit({ log: store.audit, clock, logger, onDropped });
  }

  /** Writes the last records of the audit log. */
  close(): Promise<void> {
    return this.#audit.close();
  }

  /** The identity that a placement acts with now; undefined for a user who is not there any more, or disabled. */
  async identityOf({ user, method, groups }: PlacementSpec["actingUser"]): Promise<Identity | undefined> {
    const found = await this.#options.store.objects.get(User, user);
    if (found === undefined) return method === "oidc" ? { user, role: "viewer", groups, method } : undefined;
    if (found.spec.disabled || found.metadata.deletedAt !== undefined) return undefined;
    const all = new Set(method === "oidc" ? groups : found.spec.groups);
    return { user, role: found.spec.role, groups: [...all], method };
  }

  /** Whether any grant lets somebody into a cluster. */
  isGranted(identity: Identity, cluster: string): boolean {
    return this.#options.grants.accessTo(identity, cluster).length > 0;
  }

  /** Whether a grant lets somebody into a namespace of a cluster; the empty one stands for what is in none. */
  reaches(identity: Identity, cluster: string, namespace: string): boolean {
    const accesses = this.#options.grants.accessTo(identity, cluster);
    return accesses.some(({ namespaces }) => namespaces === undefined || namespaces.includes(namespace));
  }

  /** How long the grants that somebody has in a cluster last, if nobody takes one back; `Infinity` for ever. */
  untilExpiryMs(identity: Identity, cluster: string): number {
    const { grants, clock } = this.#options;
    const ends = grants.accessTo(identity, cluster).map(({ expiresAtMs = Infinity }) => expiresAtMs);
    return Math.max(0, Math.min(...ends) - clock.now());
  }

  /** A client that acts as somebody, until it is closed; on its own, unless somebody's request is named. */
  actingAs(identity: Identity, cluster: string, { request, onAnswer }: ActingOptions = {}): KubeClient {
    const { grants, tunnels, clock } = this.#options;
    const { requestId, address } = request ?? { requestId: randomUUID() };
    const parts = { identity, cluster, grants, tunnels, audit: this.#audit, clock };
    return new KubeClient(new ActingTransport({ ...parts, requestId, address, onAnswer }));
  }

  /** A client with the rights of the agent: for Bowline's own resources, never for those of users. */
  asAgent(cluster: string): KubeClient {
    const { tunnels, clock } = this.#options;
    return new KubeClient(new ClusterTransport({ tunnels, cluster, clock }));
  }

  /** The APIs of a cluster; `key` is another one whenever it might be another cluster. */
  discovery(cluster: string, key: string): Discovery {
    const known = this.#discoveries.get(key);
    if (known !== undefined) return known;
    const discovery = new Discovery(this.asAgent(cluster), { clock: this.#options.clock });
    this.#discoveries.set(key, discovery);
    return discovery;
  }
}
