import { randomBytes } from "node:crypto";

import { systemClock, type Clock, type Random } from "@bowline/core";

import type { ApiSettings } from "./api/api-request.ts";
import { ApiServer } from "./api/api-server.ts";
import { OpenApiDocuments } from "./api/openapi-documents.ts";
import { emptyLog } from "./api/pod-log.ts";
import { RequestHandler } from "./api/request-handler.ts";
import { parseServerVersion, type ServerVersion } from "./api/server-version.ts";
import { ServiceBackends } from "./api/service-proxy.ts";
import { WatchRegistry } from "./api/watch-registry.ts";
import { Authenticator } from "./auth/authenticator.ts";
import { CertificateAuthority, type KeyAndCertificate } from "./auth/certificates.ts";
import { kubeconfigText } from "./auth/kubeconfig.ts";
import { RbacAuthorizer } from "./auth/rbac-authorizer.ts";
import { ServiceAccountTokens } from "./auth/service-account-tokens.ts";
import type { UserInfo } from "./auth/user-info.ts";
import { bootstrap } from "./bootstrap.ts";
import { startLife, type ClusterLife, type LifeOptions } from "./cluster-life.ts";
import { Faults } from "./faults/faults.ts";
import { RequestFaults } from "./faults/request-faults.ts";
import type { SimNodes } from "./nodes/index.ts";
import { ClusterStore } from "./store/cluster-store.ts";
import { randomIdentitySource, type IdentitySource } from "./store/identity-source.ts";
import { ObjectStore } from "./store/object-store.ts";
import { ResourceRegistry } from "./store/resource-registry.ts";
import { builtinResourceTypes } from "./store/resource-types.ts";
import type { SimApi } from "./store/sim-api.ts";

export interface KubesimOptions extends LifeOptions {
  /** Shown in kubeconfigs; tells clusters apart. */
  readonly name?: string;
  readonly host?: string;
  /** 0, the default, lets the system choose. */
  readonly port?: number;
  /** On by default. */
  readonly tls?: boolean;
  /** The Kubernetes version to be, such as `v1.20.2`: what it did not have yet, this server does not have either. */
  readonly version?: string;
  /** Further users by bearer token. */
  readonly users?: Readonly<Record<string, UserInfo>>;
  /** Whether requests without credentials count as `system:anonymous`; on, as in a real cluster. */
  readonly anonymous?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly identities?: IdentitySource;
  /** How many changes of each resource are remembered for watches and paged lists. */
  readonly historyLimit?: number;
  readonly bookmarkIntervalMs?: number;
  /** How many events may wait for a slow watcher before it is cut. */
  readonly watchQueueLimit?: number;
  /** Whether it tells what nodes and pods use, as with metrics-server (`metrics.k8s.io`); off if missing. */
  readonly metrics?: boolean;
}

export interface Kubesim {
  readonly url: string;
  /** PEM; empty without TLS. */
  readonly caCert: string;
  readonly adminToken: string;
  /** The store in process: what controllers and tests use. */
  readonly api: SimApi;
  readonly faults: Faults;
  /** The simulated nodes; absent where the API server runs alone. */
  readonly nodes: SimNodes | undefined;
  /** The revision of the latest change. */
  readonly revision: number;
  readonly openWatches: number;
  readonly openConnections: number;
  /** What answers behind Services, through their `proxy` subresource. */
  readonly backends: ServiceBackends;
  /** The text of a kubeconfig for the administrator, or for another user by bearer token. */
  kubeconfig(user?: { readonly name: string; readonly token: string }): string;
  /** Adds a user, or replaces the one with the same token. */
  addUser(token: string, user: UserInfo): void;
  /** A client certificate for a user; needs TLS. */
  clientCertificate(name: string, groups?: readonly string[]): KeyAndCertificate;
  /** Resolves when controllers and nodes have nothing left to do now; rejects when one of them failed. */
  settled(): Promise<void>;
  /** Ends everything. Then it rejects if a controller failed and nobody was told. */
  stop(): Promise<void>;
}

const defaultVersion = "v1.36.4";
const adminUser: UserInfo = { name: "kubernetes-admin", groups: ["system:masters"] };

/** Starts a simulated cluster: an API server and, unless told otherwise, its controllers and nodes. */
export async function startKubesim(options: KubesimOptions = {}): Promise<Kubesim> {
  const cluster = new SimulatedCluster(options);
  await cluster.start();
  return cluster;
}

class SimulatedCluster implements Kubesim {
  readonly adminToken = randomBytes(24).toString("base64url");
  readonly api: ClusterStore;
  readonly faults: Faults;
  readonly backends = new ServiceBackends();
  readonly #name: string;
  readonly #authority: CertificateAuthority | undefined;
  readonly #users: Map<string, UserInfo>;
  readonly #watches = new WatchRegistry();
  readonly #life: ClusterLife;
  readonly #server: ApiServer;

  constructor(options: KubesimOptions) {
    const clock = options.clock ?? systemClock;
    const random = options.random ?? Math.random;
    const version = parseServerVersion(options.version ?? defaultVersion);
    const host = options.host ?? "127.0.0.1";
    this.#name = options.name ?? "kubesim";
    this.#users = new Map([[this.adminToken, adminUser], ...Object.entries(options.users ?? {})]);
    // Certificates are checked by clients against the real time, whatever time it is in the simulation.
    this.#authority = options.tls === false ? undefined : new CertificateAuthority(Date.now());
    this.api = newStore(options, clock, version);
    const tokens = new ServiceAccountTokens();
    const requests = new RequestFaults(clock);
    this.faults = new Faults({ requests, watches: this.#watches, objects: this.api.objects });
    this.#life = startLife(this.api, {
      ...options,
      clock,
      random,
      tokens,
      kubeletVersion: version.gitVersion,
      rootCertificate: this.caCert,
    });
    const handler = new RequestHandler({
      context: { store: this.api, clock, watches: this.#watches, settings: watchSettings(options, random) },
      services: {
        authenticator: new Authenticator({
          store: this.api,
          clock,
          tokens,
          staticUsers: this.#users,
          allowAnonymous: options.anonymous ?? true,
        }),
        authorizer: new RbacAuthorizer(this.api),
        tokens,
        logs: (pod, container) => this.nodes?.containerLogs(pod, container) ?? emptyLog,
        backends: this.backends,
      },
      faults: requests,
      openapi: new OpenApiDocuments(this.api.registry, version),
      version,
      address: () => new URL(this.url).host,
    });
    this.#server = new ApiServer({
      handle: (request, response, upgrade) => handler.handle(request, response, upgrade),
      host,
      port: options.port ?? 0,
      ...(this.#authority ? { tls: { ...this.#authority.issueServer(host), ca: this.#authority.cert } } : {}),
    });
  }

  async start(): Promise<void> {
    try {
      bootstrap(this.api);
      this.#life.start();
      await this.#server.listen();
    } catch (error) {
      this.#life.stop();
      throw error;
    }
  }

  get url(): string {
    return this.#server.url;
  }

  get caCert(): string {
    return this.#authority?.cert ?? "";
  }

  get nodes(): SimNodes | undefined {
    return this.#life.nodes;
  }

  get revision(): number {
    return this.api.objects.revision;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  get openConnections(): number {
    return this.#server.connectionCount;
  }

  kubeconfig(user = { name: adminUser.name, token: this.adminToken }): string {
    return kubeconfigText({
      name: this.#name,
      server: this.url,
      caCert: this.caCert,
      user: user.name,
      token: user.token,
    });
  }

  addUser(token: string, user: UserInfo): void {
    this.#users.set(token, user);
  }

  clientCertificate(name: string, groups: readonly string[] = []): KeyAndCertificate {
    if (this.#authority) return this.#authority.issueClient(name, groups);
    throw new TypeError("client certificates need TLS, and this simulated cluster was started without it");
  }

  settled(): Promise<void> {
    return this.#life.settled();
  }

  async stop(): Promise<void> {
    this.#life.stop();
    this.faults.clear();
    await this.#server.close();
    this.#life.throwUntold();
  }
}

function newStore(options: KubesimOptions, clock: Clock, version: ServerVersion): ClusterStore {
  return new ClusterStore({
    objects: new ObjectStore(options.historyLimit ?? 20_000),
    registry: new ResourceRegistry(builtinResourceTypes(version.minor, options.metrics)),
    clock,
    identities: options.identities ?? randomIdentitySource,
    minorVersion: version.minor,
  });
}

function watchSettings(options: KubesimOptions, random: Random): ApiSettings {
  return {
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
    watchQueueLimit: options.watchQueueLimit ?? 10_000,
    random,
  };
}
