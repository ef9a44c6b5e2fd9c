import { isDeepStrictEqual } from "node:util";

import {
  Cluster,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
  type ObjectOf,
} from "@bowline/api";
import { hasCode, labelRequirementsOf, LruMap, type Clock } from "@bowline/core";
import { done, findCondition, requeueAfter, setCondition, type ReconcileResult } from "@bowline/runtime";
import type { Store } from "@bowline/store";

import type { ObjectTask } from "../controllers/object-task.ts";
import { dependencyCycle } from "../rollout/dependencies.ts";
import { defaultCluster, namesNone } from "./default-cluster.ts";
import { findObjects } from "./find-objects.ts";
import { readyStatement, summarizeClusters } from "./instance-status.ts";
import { planPlacements, type PlacementPlan, type PlanInput } from "./plan-placements.ts";
import type { PlacementSpec, Statement } from "./resolve-workload.ts";

type InstanceTask = ObjectTask<typeof WorkloadInstance>;
type Placement = ObjectOf<typeof WorkloadPlacement>;

interface Target {
  readonly clusters: readonly Cluster[];
  /** Named clusters that are not there. */
  readonly missing: readonly string[];
  /** Why nothing can be said about where it belongs. */
  readonly hold?: Statement;
}

/** As many as the status has room for. */
const maxPassedOver = 100;
/** The store commits together what comes together: one flush to disk for all of them, and not one for each cluster. */
const writesAtOnce = 100;

/**
 * An instance is summed up again whenever one of its placements has something to tell, and that takes longer the more of
 * them there are: those of many clusters rest in between, so that hundreds of clusters that change at once are not summed
 * up hundreds of times.
 */
const restsFrom = 10;
const restMsPerCluster = 5;
const maxRestMs = 1_000;
const maxResting = 10_000;

export const removeResources = "bowline.dev/remove-resources";

/**
 * Brings an instance to its clusters by writing a placement for each; what happens in a cluster is the work of the
 * controller of placements, whose findings come together in the status of the instance.
 */
export class InstanceReconciler {
  readonly #objects: Store["objects"];
  readonly #revisions: Store["revisions"];
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** Until when each instance rests, by id. */
  readonly #resting = new LruMap<string, number>(maxResting);

  constructor(
    { objects, revisions }: Pick<Store, "objects" | "revisions">,
    clock: Pick<Clock, "monotonicMs">,
  ) {
    this.#objects = objects;
    this.#revisions = revisions;
    this.#clock = clock;
  }

  async reconcile(instance: WorkloadInstance, task: InstanceTask): Promise<ReconcileResult> {
    const { name, deletedAt } = instance.metadata;
    const restMs = this.#restMs(instance);
    if (restMs > 0) return requeueAfter(restMs);
    const before = await findObjects(this.#objects, WorkloadPlacement, { fields: `spec.instance=${name}` });
    if (deletedAt !== undefined) {
      await this.#writeStatus(instance, task, { placements: before, hold: deletingStatement(before) });
      return done;
    }
    // Everything is read before anything is written: what cannot be evaluated changes nothing.
    const definition = await this.#objects.get(WorkloadDefinition, instance.spec.definition);
    const { clusters, missing, hold } = await this.#target(instance);
    if (hold !== undefined) {
      await this.#writeStatus(instance, task, { placements: before, hold });
      return done;
    }
    const plan = planPlacements({
      instance,
      definition,
      pinned: await this.#pinned(instance, definition),
      clusters,
      placements: before,
      ...(await this.#dependencies(instance)),
      nowMs: task.nowMs(),
    });
    await this.#beginRollout(instance, plan, task);
    const placements = await this.#carryOut(plan, before, task);
    if (placements === undefined) return done;
    await this.#writeStatus(instance, task, { placements, missing, ...plan });
    this.#rest(instance, placements.length);
    await this.#tellRollout(instance, plan, task);
    return plan.againMs === Infinity ? done : requeueAfter(plan.againMs);
  }

  /** How long it has to rest yet; what somebody wants of it is done at once. */
  #restMs({ metadata, status }: WorkloadInstance): number {
    const isAsked = metadata.deletedAt !== undefined || status.observedGeneration !== metadata.generation;
    const untilMs = this.#resting.get(metadata.id);
    return isAsked || untilMs === undefined ? 0 : Math.max(0, untilMs - this.#clock.monotonicMs());
  }

  #rest({ metadata: { id } }: WorkloadInstance, clusters: number): void {
    if (clusters < restsFrom) return;
    const restMs = Math.min(clusters * restMsPerCluster, maxRestMs);
    this.#resting.set(id, this.#clock.monotonicMs() + restMs);
  }

  async #pinned(
    { spec }: WorkloadInstance,
    definition: WorkloadDefinition | undefined,
  ): Promise<PlanInput["pinned"]> {
    const { pin } = spec.revision ?? {};
    if (pin === undefined || definition === undefined) return undefined;
    return this.#revisions.get(definition.metadata.id, pin);
  }

  async #dependencies(instance: WorkloadInstance): Promise<Pick<PlanInput, "dependencies" | "cycle">> {
    const { dependsOn = [] } = instance.spec;
    if (dependsOn.length === 0) return { dependencies: [], cycle: undefined };
    const placements = await Promise.all(
      dependsOn.map(({ instance: name }) =>
        findObjects(this.#objects, WorkloadPlacement, { fields: `spec.instance=${name}` }),
      ),
    );
    const instances = await findObjects(this.#objects, WorkloadInstance);
    const names = dependsOn.map((each) => each.instance);
    const cycle = dependencyCycle(instance.metadata.name, names, instances);
    return { dependencies: placements.flat(), cycle };
  }

  /** Before any cluster gets the change: afterwards nobody could tell what they had before it. */
  async #beginRollout(
    { status }: WorkloadInstance,
    { rollout }: PlacementPlan,
    task: InstanceTask,
  ): Promise<void> {
    if (rollout === undefined || rollout.change === status.rollout?.change) return;
    await task.writeStatus((current) => ({ ...current, rollout }));
  }

  /** What a rollout did by itself is told, once. */
  async #tellRollout(
    { status }: WorkloadInstance,
    { rollout, hold }: PlacementPlan,
    task: InstanceTask,
  ): Promise<void> {
    const before = status.rollout?.change === rollout?.change ? status.rollout?.phase : undefined;
    if (rollout === undefined || rollout.phase === before || hold === undefined) return;
    if (rollout.phase !== "Paused" && rollout.phase !== "RolledBack") return;
    await task.recordEvent({ type: "Warning", reason: hold.reason, message: hold.message });
  }

  async #target({ spec: { placement } }: WorkloadInstance): Promise<Target> {
    if (namesNone(placement)) {
      const found = await defaultCluster(this.#objects);
      return "hold" in found
        ? { clusters: [], missing: [], hold: found.hold }
        : { clusters: [found.cluster], missing: [] };
    }
    const { clusters: names, selector } = placement;
    if (selector !== undefined) {
      const found = await findObjects(this.#objects, Cluster, { labels: labelRequirementsOf(selector) });
      return { clusters: found.filter(isStaying), missing: [] };
    }
    const clusters: Cluster[] = [];
    const missing: string[] = [];
    for (const name of names ?? []) {
      const cluster = await this.#objects.get(Cluster, name);
      if (cluster !== undefined && isStaying(cluster)) clusters.push(cluster);
      else missing.push(name);
    }
    return { clusters, missing };
  }

  /** Resolves to the placements that there are then; undefined when the instance or a cluster is gone meanwhile. */
  async #carryOut(
    { wanted, surplus }: PlacementPlan,
    before: readonly Placement[],
    task: InstanceTask,
  ): Promise<Placement[] | undefined> {
    const placements = new Map(before.map((placement) => [placement.metadata.name, placement]));
    const due = [...wanted].filter(([name, spec]) => {
      const known = placements.get(name);
      // One that is still being removed comes back when it is gone.
      return known === undefined || (isStaying(known) && !isDeepStrictEqual(known.spec, spec));
    });
    for (let first = 0; first < due.length; first += writesAtOnce) {
      const together = due.slice(first, first + writesAtOnce);
      const written = await allSettled(
        together.map(([name, spec]) => this.#writePlacement(name, spec, task)),
      );
      for (const placement of written) {
        if (placement === undefined) return undefined;
        placements.set(placement.metadata.name, placement);
      }
    }
    for (const name of surplus) {
      const known = placements.get(name);
      if (known === undefined || !isStaying(known)) continue;
      const { fence } = task;
      const { outcome, object } = await this.#objects.delete(WorkloadPlacement, name, { fence });
      if (outcome === "deleted") placements.delete(name);
      else placements.set(name, object);
    }
    return [...placements.values()];
  }

  async #writePlacement(
    name: string,
    spec: PlacementSpec,
    { fence }: InstanceTask,
  ): Promise<Placement | undefined> {
    const labels = { "bowline.dev/instance": spec.instance, "bowline.dev/cluster": spec.cluster };
    // Before anything is made in the cluster, so that it will be removed whatever happens.
    const finalizers = [removeResources];
    const desired = { metadata: { name, labels, annotations: {} }, spec, finalizers };
    try {
      return (await this.#objects.write(WorkloadPlacement, name, () => desired, { fence })).object;
    } catch (error) {
      // Its end is a change of its own, which leads to the next turn, if there is to be one.
      if (hasCode(error, "Invalid") && (await this.#isEnded(spec))) return undefined;
      throw error;
    }
  }

  /** Somebody has deleted the instance or the cluster since they were read. */
  async #isEnded({ instance, cluster }: PlacementSpec): Promise<boolean> {
    const [one, other] = await Promise.all([
      this.#objects.get(WorkloadInstance, instance),
      this.#objects.get(Cluster, cluster),
    ]);
    return one === undefined || other === undefined;
  }

  async #writeStatus(
    { metadata: { generation } }: WorkloadInstance,
    task: InstanceTask,
    found: Partial<Pick<PlacementPlan, "waiting" | "revision" | "rollout" | "passedOver">> & {
      readonly placements: readonly Placement[];
      readonly missing?: readonly string[];
      readonly hold: Statement | undefined;
    },
  ): Promise<void> {
    const summary = summarizeClusters({ missing: [], waiting: new Map(), ...found });
    const ready = found.hold ?? readyStatement(summary);
    const { revision, rollout, passedOver = [] } = found;
    const nowMs = task.nowMs();
    await task.updateStatus((status) => ({
      ...withoutPlan(status),
      ...summary,
      ...(revision === undefined ? {} : { revision }),
      ...(rollout === undefined ? {} : { rollout }),
      ...(passedOver.length === 0 ? {} : { passedOver: passedOver.slice(0, maxPassedOver) }),
      conditions: [
        ...setCondition(
          status.conditions,
          { type: "Ready", ...ready, observedGeneration: generation },
          nowMs,
        ),
      ],
    }));
  }
}

/** Rejects with the first failure, once nothing is under way any more. */
async function allSettled<T>(writes: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(writes);
  return Promise.all(writes);
}

function withoutPlan(status: WorkloadInstance["status"]): WorkloadInstance["status"] {
  const { revision: _, rollout: __, passedOver: ___, ...rest } = status;
  return rest;
}

function isStaying({
  metadata,
}: {
  readonly metadata: { readonly deletedAt?: string | undefined };
}): boolean {
  return metadata.deletedAt === undefined;
}

function deletingStatement(placements: readonly Placement[]): Statement {
  const clusters = placements.map(({ spec }) => spec.cluster);
  const where = `It is being removed from ${clusters.length === 1 ? clusters[0] : `${clusters.length} clusters`}`;
  const [refused] = placements.flatMap(({ spec: { cluster }, metadata: { generation }, status }) => {
    const applied = findCondition(status.conditions, "Applied");
    const isRefused = applied?.reason === "NotGranted" && applied.observedGeneration === generation;
    return isRefused ? [`${cluster}: ${applied.message}`] : [];
  });
  if (refused === undefined) return { status: "False", reason: "Deleting", message: `${where}.` };
  return { status: "False", reason: "NotGranted", message: `${where}; ${refused}` };
}
