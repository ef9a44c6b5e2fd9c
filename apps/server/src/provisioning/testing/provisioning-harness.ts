import { Cluster, validateStatus, type SpecOf } from "@bowline/api";
import { createLogger, Metrics } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import type { Provider } from "@bowline/providers";
import { FakeCloud, fakeProvider } from "@bowline/providers/testing";
import type { Controller } from "@bowline/runtime";
import type { Store } from "@bowline/store";
import { cluster, openTestStore } from "@bowline/store/testing";
import { onTestFinished } from "vitest";

import { clusterController } from "../../controllers/cluster-controller.ts";
import { AgentJoin } from "../agent-join.ts";
import { ClusterProvisioner } from "../cluster-provisioner.ts";
import type { JoinEndpoint } from "../join-token.ts";
import { ProvisioningMetrics } from "../provisioning-metrics.ts";

/** The database takes a few turns of the event loop. */
const leastTurns = 20;
const mostTurns = 300;

export interface Replica {
  readonly controller: Controller;
  /** Ends it as a process that is killed ends: nothing is given back, and what it does afterwards does not count. */
  kill(): void;
}

interface ReplicaOptions {
  readonly owner?: string;
  readonly provider?: Provider;
}

/** A store, a cloud and the controller of clusters between them, on a clock that is moved by hand. */
export class ProvisioningHarness {
  readonly clock: ManualClock;
  readonly cloud = new FakeCloud();
  readonly logged: string[] = [];
  readonly metrics = new Metrics({ version: "test", revision: "test" });
  readonly store: Store;
  readonly #provisioningMetrics = new ProvisioningMetrics(this.metrics);
  #tokens = 0;
  endpoint: JoinEndpoint | undefined = { servers: ["https://bowline.example.com"] };

  private constructor(store: Store, clock: ManualClock) {
    this.store = store;
    this.clock = clock;
  }

  static async open(): Promise<ProvisioningHarness> {
    const clock = new ManualClock();
    return new ProvisioningHarness(
      await openTestStore({ type: "sqlite", file: ":memory:" }, { clock }),
      clock,
    );
  }

  start({ owner, provider = fakeProvider(this.cloud) }: ReplicaOptions = {}): Replica {
    const { clock, store, logged } = this;
    const logger = createLogger({
      name: "test",
      level: "debug",
      destination: { write: (line: string) => void logged.push(line) },
    });
    const manifests = {
      agents: store.agents,
      clock,
      randomBytes: (size: number) => Buffer.alloc(size, (this.#tokens += 1)),
      endpoint: () => this.endpoint,
      image: "bowline:test",
      namespace: "bowline-system",
    };
    const metrics = this.#provisioningMetrics;
    const definition = clusterController(
      (host) =>
        new ClusterProvisioner({
          ...host,
          providers: new Map([[provider.name, provider]]),
          join: new AgentJoin({ manifests, clock }),
          metrics,
        }),
    );
    const leases = owner === undefined ? undefined : { store: store.leases, owner, ttlMs: 15_000 };
    const controller = definition.create({ store, clock, random: () => 0, logger, leases });
    const stop = new AbortController();
    // A provider that never answers leaves work behind, which is what such a test is about.
    const running = controller.run(stop.signal).catch(() => {});
    onTestFinished(async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
    });
    return { controller, kill: () => stop.abort() };
  }

  /** Lets a controller do what can be done without time passing. */
  async look({ controller }: Replica, name = "web"): Promise<Cluster | undefined> {
    controller.enqueue(`Cluster/${name}`);
    await this.#settle(controller);
    return this.get(name);
  }

  /** Moves time, and lets the controller do what falls due. */
  async pass({ controller }: Replica, ms: number, name = "web"): Promise<Cluster | undefined> {
    await this.clock.advance(ms);
    await this.#settle(controller);
    return this.get(name);
  }

  /** One that waits for a provider which never answers has done what it can, too. */
  async #settle(controller: Controller): Promise<void> {
    for (let turn = 0; turn < mostTurns; turn += 1) {
      await this.clock.settle();
      const { ready, active } = controller.state().queue;
      if (turn >= leastTurns && ready + active === 0) return;
    }
  }

  /** The object as it is; its status has to be one that the API takes. */
  async get(name = "web"): Promise<Cluster | undefined> {
    const found = await this.store.objects.get(Cluster, name);
    if (found === undefined) return undefined;
    const checked = validateStatus(Cluster, { status: found.status });
    if (!checked.ok) throw new Error(`The API takes no such status: ${JSON.stringify(checked.problems)}`);
    return found;
  }

  async create(spec: Partial<SpecOf<typeof Cluster>> = {}, name = "web"): Promise<Cluster> {
    const desired = cluster(name);
    const made = { ...desired, spec: { ...desired.spec, provider: "kind" as const, ...spec } };
    return (await this.store.objects.create(Cluster, made)).object;
  }

  async edit(spec: Partial<SpecOf<typeof Cluster>>, name = "web"): Promise<void> {
    await this.store.objects.write(Cluster, name, (current) => {
      if (current === undefined) throw new Error("There is no such cluster.");
      const { labels, annotations } = current.metadata;
      return { metadata: { name, labels, annotations }, spec: { ...current.spec, ...spec } };
    });
  }

  /** As the gateway does when the agent comes, or goes. */
  async connectAgent(isConnected = true, name = "web"): Promise<void> {
    const lastSeenAt = new Date(this.clock.now()).toISOString();
    const agent = { version: "1.0", lastSeenAt, ...(isConnected ? { connectedSince: lastSeenAt } : {}) };
    await this.store.objects.writeStatus(Cluster, name, ({ status }) => ({ ...status, agent }));
  }

  async events(): Promise<string[]> {
    const { items } = await this.store.events.list();
    return items.map(({ type, reason }) => `${type} ${reason}`).toReversed();
  }
}

export function conditionsOf(found: Cluster | undefined): Record<string, string> {
  return Object.fromEntries(
    (found?.status.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`]),
  );
}
