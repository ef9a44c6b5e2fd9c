import { Cluster, DomainName, Gateway, type SpecOf } from "@bowline/api";
import { Metrics } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import type { Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";

import { ObjectTask } from "../../controllers/object-task.ts";
import { AllowedAddresses } from "../../gateways/allowed-address.ts";
import type { ClusterStatus } from "../../gateways/check.ts";
import type { DyingProcess } from "../../gateways/testing/dying-process.ts";
import { storeWrites } from "../../gateways/testing/dying-server.ts";
import { DomainMetrics } from "../domain-metrics.ts";
import { DomainReconciler } from "../domain-reconciler.ts";
import type { OpenZone } from "../write-records.ts";
import { MemoryDns } from "./memory-zone.ts";

type DomainSpec = SpecOf<typeof DomainName>;
type GatewaySpec = SpecOf<typeof Gateway>;

const zoneWrites = new Set<string | symbol>(["put", "remove"]);
const eventWrites = new Set<string | symbol>(["record"]);

/** A process with a reconciler, and its way to everything outside. */
interface ServerProcess {
  readonly store: Store;
  readonly reconciler: DomainReconciler;
}

/** Gateways as their controller would tell of them, name servers in memory, and a clock that stands still. */
export class DomainStage {
  readonly store: Store;
  readonly clock = new ManualClock();
  readonly dns = new MemoryDns();
  /** Addresses that do not answer. */
  readonly silent = new Set<string>();
  readonly probed: string[] = [];
  readonly metrics = new Metrics({ version: "test", revision: "test" });
  readonly #domainMetrics = new DomainMetrics(this.metrics);
  readonly #openZone: OpenZone;
  #server: ServerProcess;

  private constructor(store: Store, openZone: OpenZone | undefined) {
    this.store = store;
    this.#openZone = openZone ?? this.dns.open;
    this.#server = this.anotherServer();
  }

  /** With name servers in memory, if there are no others. */
  static async open(openZone?: OpenZone): Promise<DomainStage> {
    return new DomainStage(await openTestStore({ type: "sqlite", file: ":memory:" }), openZone);
  }

  /** The server is another process, which remembers nothing. */
  restart(): void {
    this.#server = this.anotherServer();
  }

  /** One more process on the same store. */
  anotherServer(): ServerProcess {
    return this.#startServer(this.store, this.#openZone);
  }

  #startServer(store: Store, openZone: OpenZone): ServerProcess {
    const reconciler = new DomainReconciler({
      store: { ...store, installationId: () => Promise.resolve("here") },
      outside: {
        isOn: true,
        resolve: () => Promise.resolve([]),
        probe: async ({ host, address }) => {
          this.probed.push(`${host} at ${address}`);
          if (this.silent.has(address)) throw new Error("connection refused");
          return { status: 200, distrust: undefined };
        },
        allowed: new AllowedAddresses(["192.0.2.0/24"]),
      },
      openZone,
      metrics: this.#domainMetrics,
      clock: this.clock,
      random: () => 0,
    });
    return { store, reconciler };
  }

  async domain(spec: Partial<DomainSpec> = {}, name = "example-com"): Promise<void> {
    const metadata = { name, labels: {}, annotations: {} };
    const whole: DomainSpec = {
      domain: "example.com",
      provider: "rfc2136",
      ...(spec.provider === "route53" ? {} : { rfc2136: { server: "192.0.2.53" } }),
      clusters: ["a", "b"],
      policy: "single",
      ttl: "60s",
      failover: { after: "30s", returnAfter: "5m", return: "automatic" },
      ...spec,
    };
    await this.store.objects.write(DomainName, name, () => ({ metadata, spec: whole }));
  }

  /** A Gateway `shop` with the host `shop.example.com`, programmed in clusters at their addresses. */
  async gateway(
    clusters: Readonly<Record<string, readonly string[] | Partial<ClusterStatus>>>,
    { name = "shop", ...spec }: Partial<GatewaySpec> & { readonly name?: string } = {},
  ): Promise<void> {
    const metadata = { name, labels: {}, annotations: {} };
    const whole: GatewaySpec = {
      instance: "web",
      hosts: [`${name}.example.com`],
      rules: [{ path: "/", service: "web", port: 80 }],
      tls: { mode: "terminate" },
      visibility: "public",
      probe: true,
      ...spec,
    };
    await this.store.objects.write(Gateway, name, () => ({ metadata, spec: whole }));
    const told = Object.entries(clusters).map(([cluster, there]) => programmed(cluster, there));
    await this.store.objects.writeStatus(Gateway, name, ({ status }) => ({ ...status, clusters: told }));
    for (const cluster of Object.keys(clusters)) await this.agent(cluster, "here");
  }

  async agent(cluster: string, state: "here" | "away"): Promise<void> {
    const { objects } = this.store;
    const metadata = { name: cluster, labels: {}, annotations: {} };
    await objects.write(Cluster, cluster, () => ({ metadata, spec: { provider: "existing" as const } }));
    const now = new Date(this.clock.now()).toISOString();
    const agent = { version: "test", lastSeenAt: now, ...(state === "here" ? { connectedSince: now } : {}) };
    await objects.writeStatus(Cluster, cluster, ({ status }) => ({ ...status, agent }));
  }

  /** One turn of the controller, after so long; resolves to when it wants the next one. */
  async turn(afterMs = 0, { server = this.#server, name = "example-com" } = {}): Promise<number> {
    await this.clock.advance(afterMs);
    const object = await this.store.objects.get(DomainName, name);
    if (object === undefined) return Infinity;
    const context = { signal: AbortSignal.timeout(20_000), lease: undefined };
    const { clock } = this;
    const { store, reconciler } = server;
    const task = new ObjectTask({ store, clock, kind: DomainName, object, context, source: "test" });
    const result = await reconciler.reconcile(object, task);
    return result.kind === "done" ? Infinity : result.delayMs;
  }

  /** One turn of a server that begins with it, and ends where the process dies. */
  async dyingTurn(dying: DyingProcess): Promise<void> {
    const objects = dying.using(this.store.objects, storeWrites);
    const events = dying.using(this.store.events, eventWrites);
    const server = this.#startServer({ ...this.store, objects, events }, (place, credential) =>
      dying.using(this.#openZone(place, credential), zoneWrites),
    );
    try {
      await this.turn(0, { server });
    } catch (error) {
      if (!dying.hasDied) throw error;
    }
  }

  /** As many turns as the controller wants in so long. */
  async turns(forMs: number): Promise<void> {
    const untilMs = this.clock.now() + forMs;
    let inMs = await this.turn();
    while (this.clock.now() + inMs <= untilMs) inMs = await this.turn(inMs);
    await this.clock.advance(untilMs - this.clock.now());
  }

  /** `True Reachable: …` of a host, or of the whole. */
  async ready(host?: string, name = "example-com"): Promise<string> {
    const domain = await this.store.objects.get(DomainName, name);
    const found = host === undefined ? undefined : domain?.status.hosts.find((each) => each.host === host);
    if (found !== undefined) return `${found.ready} ${found.reason}: ${found.message}`;
    const condition = domain?.status.conditions.find(({ type }) => type === "Ready");
    return host === undefined && condition !== undefined
      ? `${condition.status} ${condition.reason}: ${condition.message}`
      : "";
  }

  async events(): Promise<string[]> {
    const { items } = await this.store.events.list({});
    return items.map(({ reason, message }) => `${reason}: ${message}`).toReversed();
  }
}

function programmed(cluster: string, there: readonly string[] | Partial<ClusterStatus>): ClusterStatus {
  const given: Partial<ClusterStatus> = isList(there) ? { addresses: [...there] } : there;
  const so = (type: "Class" | "Listener" | "Route") => ({
    type,
    status: "True" as const,
    reason: "Programmed",
    message: "",
  });
  return {
    cluster,
    ready: "True",
    reason: "Reachable",
    message: "",
    addresses: [],
    checks: [so("Class"), so("Listener"), so("Route")],
    ...given,
  };
}

function isList(there: readonly string[] | Partial<ClusterStatus>): there is readonly string[] {
  return Array.isArray(there);
}
