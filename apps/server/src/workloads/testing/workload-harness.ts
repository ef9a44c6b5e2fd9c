import { duplexPair } from "node:stream";

import {
  AccessGrant,
  Cluster,
  placementName,
  User,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
  type Author,
  type SpecOf,
} from "@bowline/api";
import { workloadDefaults } from "@bowline/api/testing";
import { BowlineError, createLogger, Metrics, systemClock, type Clock } from "@bowline/core";
import type { ClusterTunnels, TunnelRoute } from "@bowline/gateway";
import { agentSide } from "@bowline/gateway/testing";
import { connect, KubeClient } from "@bowline/kube";
import { startKubesim, type Kubesim, type KubesimOptions } from "@bowline/kubesim";
import { duplexChannel, TunnelConnection, type AcceptStream } from "@bowline/protocol";
import type { Store } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { onTestFinished } from "vitest";

import { definitionController } from "../../sources/definition-controller.ts";
import type { ObjectController } from "../../controllers/object-controller.ts";
import { storeControllers, startControllers } from "../../controllers/start-controllers.ts";
import { GrantCache } from "../../proxy/admission/grant-cache.ts";
import { readReportedObjects } from "../../reports/reported-objects.ts";
import { ClusterClients } from "../cluster-clients.ts";
import { HeldPrunes } from "../held-prunes.ts";
import { workloadControllers } from "../workload-controllers.ts";

/** A simulated cluster and the tunnel into it. */
export interface TestCluster {
  readonly name: string;
  readonly sim: Kubesim;
  readonly client: KubeClient;
  /** Requests that came through the tunnel. */
  readonly requests: string[];
}

type InstanceSpec = SpecOf<typeof WorkloadInstance>;
type GrantSpec = SpecOf<typeof AccessGrant>;

export const editor: Author = { user: "editor", role: "editor", method: "token", groups: [] };

const inlineDefinitions = definitionController({
  resolve: () => Promise.reject(new Error("nothing here is from git")),
});

/** Clusters, a store and the controllers of a server; `editor` may do everything in every cluster. */
export class WorkloadHarness {
  /** By so much the controllers take it to be later than it is. */
  aheadMs = 0;
  /** And by so much the time of day. */
  laterMs = 0;
  /** Whoever sleeps from now on does so until it is told to stop: work that waits by itself would never end. */
  sleepsForever = false;
  /** Timers that are set for longer from now on never end: whatever happens then had nothing else to wait for. */
  longestTimerMs = Infinity;
  readonly store: Store;
  readonly #clusters = new Map<string, TestCluster>();
  readonly #tunnels = new Map<string, TunnelConnection>();
  /** How often a tunnel was wanted that was not there. */
  missed = 0;
  /** Of a tunnel that is not there: another replica that has just lost the agent says so in other words. */
  missing: "AgentOffline" | "TunnelDraining" = "AgentOffline";
  /** Of the controllers that were started last. */
  metrics = new Metrics({ version: "test", revision: "test" });
  /** Warnings and errors. */
  readonly logged: string[] = [];
  /** What comes between agents that connect from now on and their clusters. */
  atAgents: (accept: AcceptStream) => AcceptStream = (accept) => accept;
  /** Controllers to run beside those of workloads, from the next start on. */
  more: (clients: ClusterClients) => readonly ObjectController[] = () => [];
  readonly #definitions: readonly ObjectController[];
  #stopServer: () => Promise<void> = () => Promise.resolve();
  #clients: ClusterClients | undefined;

  private constructor(store: Store, definitions: readonly ObjectController[]) {
    this.store = store;
    this.#definitions = definitions;
  }

  /** On a store of somebody else who resolves definitions, or on one of its own. */
  static async open(shared?: Store, more?: WorkloadHarness["more"]): Promise<WorkloadHarness> {
    const store = shared ?? (await openTestStore({ type: "sqlite", file: ":memory:" }));
    const harness = new WorkloadHarness(store, shared === undefined ? [inlineDefinitions] : []);
    if (more !== undefined) harness.more = more;
    await harness.addUser("editor", { kubernetes: { user: "admin", groups: ["system:masters"] } });
    await harness.start();
    return harness;
  }

  /** The way into the clusters. */
  get clients(): ClusterClients {
    if (this.#clients === undefined) throw new Error("Nothing was started.");
    return this.#clients;
  }

  async addUser(name: string, grant?: Partial<GrantSpec>): Promise<void> {
    const metadata = { name, labels: {}, annotations: {} };
    await this.store.objects.create(User, {
      metadata,
      spec: { role: "editor", groups: [], disabled: false },
    });
    if (grant !== undefined) await this.grant(name, grant);
  }

  async grant(user: string, spec: Partial<GrantSpec>): Promise<void> {
    const metadata = { name: user, labels: {}, annotations: {} };
    const clusters: GrantSpec["clusters"] = { selector: { matchLabels: {}, matchExpressions: [] } };
    await this.store.objects.write(AccessGrant, user, () => ({
      metadata,
      spec: { subjects: [{ user }], clusters, kubernetes: { groups: [] }, ...spec },
    }));
  }

  async addCluster(name: string, options: KubesimOptions = {}): Promise<TestCluster> {
    const sim = await startKubesim({ tls: false, ...options });
    onTestFinished(() => sim.stop());
    const sockets = connect({
      name,
      server: sim.url,
      namespace: "default",
      insecureSkipVerify: false,
      auth: { type: "token", token: sim.adminToken },
    });
    onTestFinished(() => sockets.close());
    const cluster: TestCluster = { name, sim, client: new KubeClient(sockets), requests: [] };
    this.#clusters.set(name, cluster);
    const metadata = { name, labels: {}, annotations: {} };
    await this.store.objects.create(Cluster, { metadata, spec: { provider: "existing" } });
    await this.connect(name);
    return cluster;
  }

  /** The agent of a cluster comes, with the rights of the admin unless it has a token of its own. */
  async connect(name: string, token?: string): Promise<void> {
    this.openTunnel(name, token);
    const now = new Date().toISOString();
    await this.store.objects.writeStatus(Cluster, name, ({ status }) => ({
      ...status,
      clusterUid: `uid-of-${name}`,
      agent: { version: "test", lastSeenAt: now, connectedSince: now },
    }));
  }

  /** Agents do so a moment after they have connected, and nobody is told. */
  openTunnel(name: string, token?: string): void {
    const cluster = this.#clusters.get(name);
    if (cluster === undefined) throw new Error(`There is no cluster ${name}.`);
    const [near, far] = duplexPair();
    const forward = agentSide(Number(new URL(cluster.sim.url).port), token ?? cluster.sim.adminToken);
    const accept: AcceptStream = (stream, head, hasBody) => {
      cluster.requests.push(`${head.method} ${head.path}`);
      return forward(stream, head, hasBody);
    };
    const tunnel = new TunnelConnection(duplexChannel(near), { clock: systemClock });
    const agent = new TunnelConnection(duplexChannel(far), {
      clock: systemClock,
      accept: this.atAgents(accept),
    });
    onTestFinished(() => {
      tunnel.close();
      agent.close();
    });
    this.#tunnels.set(name, tunnel);
  }

  /** Its connection is lost, of which nobody has told the Cluster yet. */
  cut(name: string): void {
    this.#tunnels.get(name)?.close();
    this.#tunnels.delete(name);
  }

  /** The agent goes. */
  async disconnect(name: string): Promise<void> {
    this.cut(name);
    await this.store.objects.writeStatus(Cluster, name, ({ status }) => ({
      ...status,
      agent: { version: "test", lastSeenAt: new Date().toISOString() },
    }));
  }

  /** Runs the controllers of a server; one that is to die has the store in its own way, and nobody reads its log. */
  async start({
    store = this.store,
    logged = this.logged,
  }: { readonly store?: Store; readonly logged?: string[] } = {}): Promise<void> {
    const clock: Clock = {
      ...systemClock,
      now: () => systemClock.now() + this.laterMs,
      monotonicMs: () => systemClock.monotonicMs() + this.aheadMs,
      sleep: (ms, signal) => systemClock.sleep(this.sleepsForever ? Infinity : ms, signal),
      after: (ms, callback) => (ms > this.longestTimerMs ? () => {} : systemClock.after(ms, callback)),
    };
    const destination = { write: (line: string) => void logged.push(line) };
    const logger = createLogger({ name: "test", level: "warn", destination });
    const grants = new GrantCache({ store, clock, random: Math.random });
    await grants.start();
    const tunnels: ClusterTunnels = { find: (cluster) => this.#route(cluster) };
    const clients = new ClusterClients({ store, grants, tunnels, clock, logger });
    this.#clients = clients;
    const metrics = new Metrics({ version: "test", revision: "test" });
    this.metrics = metrics;
    const heldPrunes = new HeldPrunes({ store, metrics, clock, random: Math.random });
    await heldPrunes.start();
    const running = startControllers({
      store,
      clock,
      random: Math.random,
      logger,
      metrics,
      owner: "test",
      controllers: [
        ...storeControllers,
        ...this.#definitions,
        ...workloadControllers(clients, readReportedObjects, metrics),
        ...this.more(clients),
      ],
    });
    let stopping: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      await running.stop();
      await heldPrunes.close();
      await clients.close();
      await grants.close();
    };
    this.#stopServer = () => (stopping ??= stop());
    const stopThis = this.#stopServer;
    onTestFinished(async () => {
      await stopThis();
      // A watch that fails is tried again, and would only be slow.
      const failed = this.logged.filter((line) => line.includes('"part":"relay"'));
      if (failed.length > 0) throw new Error(failed.join(""));
    });
  }

  stop(): Promise<void> {
    return this.#stopServer();
  }

  #route(cluster: string): TunnelRoute {
    const tunnel = this.#tunnels.get(cluster);
    if (tunnel === undefined) {
      this.missed += 1;
      throw new BowlineError(this.missing, `No agent of ${cluster} is connected.`);
    }
    return { agent: "agent-1", open: tunnel.open.bind(tunnel) };
  }

  /** With parameters that every instance has to give. */
  async define(
    manifests: string,
    {
      name = "shop",
      author = editor,
      parameters = [],
    }: { name?: string; author?: Author; parameters?: readonly string[] } = {},
  ): Promise<void> {
    const metadata = { name, labels: {}, annotations: {} };
    const declared = parameters.map((each) => ({ name: each, type: "string" as const, required: true }));
    const spec = { source: { inline: { manifests } }, parameters: declared };
    await this.store.objects.write(WorkloadDefinition, name, () => ({ metadata, spec }), { author });
  }

  async place(
    clusters: string[],
    {
      name = "web",
      author = editor,
      ...spec
    }: Partial<InstanceSpec> & { name?: string; author?: Author } = {},
  ): Promise<void> {
    const metadata = { name, labels: {}, annotations: {} };
    const whole = { definition: "shop", placement: { clusters }, ...workloadDefaults(), ...spec };
    await this.store.objects.write(WorkloadInstance, name, () => ({ metadata, spec: whole }), { author });
  }

  placement(cluster: string, instance = "web"): Promise<WorkloadPlacement | undefined> {
    return this.store.objects.get(WorkloadPlacement, placementName(instance, cluster));
  }

  /** `True Applied` or the like; empty while it says nothing about the current generation. */
  async condition(cluster: string, type = "Applied", instance = "web"): Promise<string> {
    const found = await this.placement(cluster, instance);
    const condition = found?.status.conditions.find((each) => each.type === type);
    if (found === undefined || condition?.observedGeneration !== found.metadata.generation) return "";
    return `${condition.status} ${condition.reason}`;
  }
}
