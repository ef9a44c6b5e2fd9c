import {
  Cluster,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
  type Gateway,
  type ObjectOf,
} from "@bowline/api";
import { BowlineError, inParallel, LinkedAbortController, type Clock } from "@bowline/core";
import { requeueAfter, setCondition, type ReconcileResult } from "@bowline/runtime";
import type { Store } from "@bowline/store";

import type { ObjectTask } from "../controllers/object-task.ts";
import type { ClusterClients } from "../workloads/cluster-clients.ts";
import { findObjects } from "../workloads/find-objects.ts";
import { unknown, type ClusterStatus, type Finding } from "./check.ts";
import {
  agentAway,
  failureIn,
  inTrouble,
  leaving as toldLeaving,
  statusIn,
  withEach,
  withMade,
  withNews,
  withoutClass,
  withoutServices,
} from "./cluster-status.ts";
import { Entries, type EntriesOptions } from "./entries.ts";
import { madeForGateways, routesName } from "./entry.ts";
import { GatewayInCluster } from "./gateway-in-cluster.ts";
import type { OutsideTools } from "./judge-outside.ts";
import { OtherRoutes } from "./other-routes.ts";
import { OwnedWorkloads } from "./owned-workloads.ts";
import { heldClusters, heldHosts, hostsToRoute } from "./routed-hosts.ts";
import { GatewayServices } from "./services/gateway-services.ts";
import type { ServiceDefinitions } from "./services/support-service.ts";
import { SupportServices } from "./services/support-services.ts";

export interface GatewayReconcilerOptions {
  readonly store: Pick<Store, "objects" | "inventory" | "installationId">;
  readonly clients: ClusterClients;
  readonly clock: Clock;
  readonly outside: OutsideTools;
  /** In whose name entries are written; missing for whoever wrote the oldest of their Gateways and may do it. */
  readonly user: string | undefined;
  /** What is installed in clusters that do not have it. */
  readonly install: ServiceDefinitions;
  /** How soon it is looked again: while something is expected to change, when that has taken long, and when all is well. */
  readonly lookAgainMs?: { readonly soon: number; readonly later: number };
}

interface Found {
  readonly clusters: readonly ClusterStatus[];
  /** Those of them of which is told as it was before, because they failed on the way. */
  readonly failed: ReadonlySet<string>;
  readonly leaving: readonly string[];
  readonly instance: WorkloadInstance | undefined;
}

export type GatewayTask = ObjectTask<typeof Gateway>;

const removeRoutes = "bowline.dev/remove-routes";

const defaultLookAgainMs = { soon: 5_000, later: 60_000 };
/** One that takes its time with every answer must not take that of all others, of which nothing would be told. */
const clusterLimitMs = 60_000;
/** What has not come so long after the last change comes later, if at all. */
const patienceMs = 15 * 60_000;

/**
 * Gives the hosts of a Gateway a way in, in each of its clusters, by writing workloads of its own: the entry that it
 * shares with others, and its routes. Then it looks how far they are. Whatever it does it finds done the next time, so it
 * may be ended between any two steps.
 */
export class GatewayReconciler {
  readonly #options: GatewayReconcilerOptions;
  readonly #objects: Store["objects"];
  readonly #entries: Entries;
  readonly #workloads: OwnedWorkloads;
  readonly #services: GatewayServices;
  readonly #inCluster: GatewayInCluster;

  constructor(options: GatewayReconcilerOptions) {
    this.#options = options;
    this.#objects = options.store.objects;
    const { clients, user } = options;
    const mayReach: EntriesOptions["mayReach"] = async (author, cluster) => {
      const identity = await clients.identityOf(author);
      return identity !== undefined && clients.isGranted(identity, cluster);
    };
    this.#entries = new Entries(this.#objects, { user, mayReach });
    this.#workloads = new OwnedWorkloads(this.#objects);
    const workloads = this.#workloads;
    const services = new SupportServices({ ...options, workloads, definitions: options.install });
    this.#services = new GatewayServices({ ...options, services });
    this.#inCluster = new GatewayInCluster({
      ...options,
      entries: this.#entries,
      workloads,
      services: this.#services,
      otherRoutes: new OtherRoutes({ ...options, keepMs: this.#lookAgain.soon }),
    });
  }

  async reconcile(found: Gateway, task: GatewayTask): Promise<ReconcileResult> {
    if (found.metadata.deletedAt !== undefined) return this.#remove(found, task);
    // Before anything is made, so that it will be removed whatever happens.
    await task.addFinalizer(removeRoutes);
    const hosts = await hostsToRoute(this.#objects, found, task.nowMs());
    // Before they have routes, so that they keep them for a while when somebody takes them out.
    await task.writeStatus((status) => ({ ...status, hosts }));
    const gateway = { ...found, status: { ...found.status, hosts } };
    const instance = await this.#objects.get(WorkloadInstance, gateway.spec.instance);
    const wanted = await this.#clustersOf(gateway, instance);
    const surplus = (await this.#usedClusters(gateway)).filter((name) => !wanted.includes(name));
    const held = await heldClusters(this.#objects, { gateway, clusters: surplus, nowMs: task.nowMs() });
    // Before anything there goes, so that DNS records lead elsewhere by then.
    await task.writeStatus((status) =>
      withEach(status, surplus, (each) => toldLeaving(each, held.get(each.cluster) ?? [], task.nowMs())),
    );
    const clusters: ClusterStatus[] = [];
    const failed = new Set<string>();
    const defects: unknown[] = [];
    // Some at a time: those that do not answer are waited for, and would keep the others waiting.
    await inParallel(wanted, async (name) => {
      try {
        clusters.push(await this.#keep(gateway, name, instance, task));
      } catch (error) {
        const before = statusIn(gateway.status, name);
        clusters.push(withNews(before, name, failureIn(name, error, task.signal)));
        failed.add(name);
        if (!(error instanceof BowlineError)) defects.push(error);
      }
    });
    let leaving: readonly string[] = surplus;
    try {
      const free = surplus.filter((name) => !held.has(name));
      if (await this.#leave(gateway, free, task)) leaving = [...held.keys()];
    } finally {
      // How the others do is told though one of those that it leaves fails.
      await this.#tell(gateway, { clusters, failed, leaving, instance }, task);
    }
    // Nobody has foreseen it, so it is in the log as well.
    if (defects.length > 0) throw BowlineError.from(defects[0]);
    const { soon } = this.#lookAgain;
    const isLeaving = leaving.length > 0 || hosts.length > gateway.spec.hosts.length;
    return requeueAfter(isLeaving ? soon : this.#lookAgainMs(gateway, clusters, task));
  }

  async #keep(
    gateway: Gateway,
    name: string,
    instance: WorkloadInstance | undefined,
    task: GatewayTask,
  ): Promise<ClusterStatus> {
    const cluster = await this.#objects.get(Cluster, name);
    const before = statusIn(gateway.status, name);
    if (cluster === undefined || instance === undefined) {
      return withNews(before, name, unknown("ClusterMissing", `There is no Cluster "${name}".`));
    }
    if (cluster.status.agent?.connectedSince === undefined) {
      return withNews(before, name, agentAway(name));
    }
    using limit = new LinkedAbortController(task.signal);
    const late = new BowlineError(
      "Timeout",
      `it has not answered all questions within ${clusterLimitMs / 1_000} s.`,
    );
    const stopTimer = this.#options.clock.after(clusterLimitMs, () => limit.abort(late));
    try {
      return await this.#inCluster.keep({ gateway, cluster, instance, task, signal: limit.signal });
    } catch (error) {
      task.signal.throwIfAborted();
      throw limit.signal.aborted ? late : error;
    } finally {
      stopTimer();
    }
  }

  /** Those that it names, or those that the instance is placed on. */
  async #clustersOf({ spec }: Gateway, instance: WorkloadInstance | undefined): Promise<string[]> {
    if (instance === undefined || instance.metadata.deletedAt !== undefined) return [];
    if (spec.clusters !== undefined) return spec.clusters;
    const fields = `spec.instance=${spec.instance}`;
    const placements = await findObjects(this.#objects, WorkloadPlacement, { fields });
    const staying = placements.filter(({ metadata }) => metadata.deletedAt === undefined);
    return staying.map((placement) => placement.spec.cluster).toSorted();
  }

  /** Where anything of it may be: what the status says, and workloads that are there. */
  async #usedClusters({ metadata, status }: Gateway): Promise<string[]> {
    const labels = [{ key: "bowline.dev/gateway", operator: "in" as const, values: [metadata.name] }];
    const own = await findObjects(this.#objects, WorkloadDefinition, { labels });
    const named = own.flatMap((each) =>
      each.metadata.labels[madeForGateways] === "routes"
        ? (each.metadata.labels["bowline.dev/cluster"] ?? [])
        : [],
    );
    return [...new Set([...status.clusters.map(({ cluster }) => cluster), ...named])];
  }

  /** First the routes, then what others share with it, then what that needed. Resolves to whether all of it is gone. */
  async #leave(gateway: Gateway, clusters: readonly string[], task: GatewayTask): Promise<boolean> {
    if (clusters.length === 0) return true;
    const { author, deletedBy } = gateway.status;
    const by = { author: deletedBy ?? author, fence: task.fence };
    const free: string[] = [];
    for (const cluster of clusters) {
      const isGone = await this.#workloads.remove(routesName(gateway.metadata.name, cluster), by);
      if (isGone && (await this.#services.isRecordGone(gateway, cluster))) free.push(cluster);
    }
    // From here on no entry is written for it there.
    await task.writeStatus((status) => withEach(status, free, withoutClass));
    const settled: string[] = [];
    for (const cluster of free) {
      if (await this.#inCluster.settleAfter(gateway, cluster, task)) settled.push(cluster);
    }
    // What served its entry has to be there until that is gone.
    await task.writeStatus((status) => withEach(status, settled, withoutServices));
    let isLeft = settled.length === clusters.length;
    for (const cluster of settled) {
      isLeft = (await this.#services.settleAfter(cluster, task)) && isLeft;
    }
    return isLeft;
  }

  async #remove(gateway: Gateway, task: GatewayTask): Promise<ReconcileResult> {
    const used = await this.#usedClusters(gateway);
    const waiting = await heldHosts(this.#objects, { gateway, clusters: used, nowMs: task.nowMs() });
    if (waiting.length > 0) {
      const first = `The DNS records of ${waiting.join(", ")} are removed first, for a minute at most.`;
      return this.#goesLater(gateway, first, task);
    }
    if (await this.#leave(gateway, used, task)) {
      await task.removeFinalizer(removeRoutes);
      return requeueAfter(Infinity);
    }
    return this.#goesLater(gateway, `Its routes are being removed from ${used.join(", ")}.`, task);
  }

  async #goesLater(gateway: Gateway, message: string, task: GatewayTask): Promise<ReconcileResult> {
    await task.updateStatus((status) =>
      withReady(status, gateway, { status: "False", reason: "Deleting", message }, task),
    );
    return requeueAfter(this.#lookAgain.soon);
  }

  async #tell(gateway: Gateway, told: Found, task: GatewayTask): Promise<void> {
    const { clusters, failed, leaving, instance } = told;
    const ready = readyOf(gateway, clusters, instance);
    const before = gateway.status.conditions.find(({ type }) => type === "Ready");
    await task.updateStatus((status) => ({
      ...withReady(status, gateway, ready, task),
      // One that it is still leaving stays until all of it is gone: by this it is found the next time.
      clusters: [
        ...clusters
          .toSorted(inTrouble)
          .map((each) => (failed.has(each.cluster) ? withMade(each, statusIn(status, each.cluster)) : each)),
        ...status.clusters.filter(({ cluster }) => leaving.includes(cluster)),
      ],
      clusterCount: clusters.length,
      readyCount: clusters.filter((each) => each.ready === "True").length,
    }));
    if (before?.reason === ready.reason && before.status === ready.status) return;
    if (before === undefined && ready.status !== "True") return;
    const type = ready.status === "False" ? "Warning" : "Normal";
    await task.recordEvent({ type, reason: ready.reason, message: ready.message });
  }

  get #lookAgain(): { readonly soon: number; readonly later: number } {
    return this.#options.lookAgainMs ?? defaultLookAgainMs;
  }

  #lookAgainMs({ status, metadata }: Gateway, clusters: readonly ClusterStatus[], task: GatewayTask): number {
    const { soon, later } = this.#lookAgain;
    if (clusters.every(({ ready }) => ready === "True")) return later;
    const changedAt = status.conditions.find(({ type }) => type === "Ready")?.lastTransitionTime;
    const sinceMs = task.nowMs() - Date.parse(changedAt ?? metadata.createdAt);
    const isFresh = sinceMs < patienceMs || status.observedGeneration !== metadata.generation;
    return isFresh ? soon : later;
  }
}

function readyOf(
  { spec }: Gateway,
  clusters: readonly ClusterStatus[],
  instance: WorkloadInstance | undefined,
): Finding {
  if (instance === undefined) {
    return {
      status: "False",
      reason: "InstanceMissing",
      message: `There is no WorkloadInstance "${spec.instance}".`,
    };
  }
  const [worst] = clusters.toSorted(inTrouble);
  if (worst === undefined) {
    return {
      status: "False",
      reason: "NotPlaced",
      message: `WorkloadInstance "${spec.instance}" is placed on no cluster.`,
    };
  }
  const where = clusters.length === 1 || worst.ready === "True" ? "" : `${worst.cluster}: `;
  return { status: worst.ready, reason: worst.reason, message: `${where}${worst.message}` };
}

function withReady(
  status: ObjectOf<typeof Gateway>["status"],
  { metadata }: Gateway,
  ready: Finding,
  task: GatewayTask,
): ObjectOf<typeof Gateway>["status"] {
  const update = { type: "Ready", ...ready, observedGeneration: metadata.generation };
  return { ...status, conditions: [...setCondition(status.conditions, update, task.nowMs())] };
}
