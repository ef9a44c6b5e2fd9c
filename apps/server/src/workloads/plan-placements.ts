import { isDeepStrictEqual } from "node:util";

import {
  placementName,
  type Cluster,
  type RolloutStatus,
  type WorkloadInstance,
  type WorkloadPlacement,
} from "@bowline/api";
import { canonicalJson, contentId, labelRequirementsOf, matchesLabels } from "@bowline/core";
import { findCondition } from "@bowline/runtime";

import { chooseClusters, type ClusterChoice } from "../rollout/choose-clusters.ts";
import { dependencyWait } from "../rollout/dependencies.ts";
import { planRollout, type RolloutCluster, type Wait } from "../rollout/plan-rollout.ts";
import {
  resolveWorkload,
  shortId,
  type PlacementSpec,
  type ResolveInput,
  type Statement,
} from "./resolve-workload.ts";

export interface PlanInput extends ResolveInput {
  /** Those that the placement matches, in their order; clusters that are being deleted are not among them. */
  readonly clusters: readonly Cluster[];
  /** Those that the instance has. */
  readonly placements: readonly WorkloadPlacement[];
  /** Those of the instances that it depends on. */
  readonly dependencies: readonly WorkloadPlacement[];
  /** The way from the instance back to itself by dependencies. */
  readonly cycle: readonly string[] | undefined;
  readonly nowMs: number;
}

/** The changes that bring an instance to the clusters it belongs in. */
export interface PlacementPlan {
  /** Placements as they should be, by name. */
  readonly wanted: ReadonlyMap<string, PlacementSpec>;
  /** Names of placements that should go. */
  readonly surplus: readonly string[];
  /** Why something is left as it is until somebody has done something; undefined when nothing is in the way. */
  readonly hold: Statement | undefined;
  /** Clusters that do not get what the instance wants yet. */
  readonly waiting: ReadonlyMap<string, Wait>;
  /** The revision that clusters get. */
  readonly revision: string | undefined;
  readonly rollout: RolloutStatus | undefined;
  /** Clusters that match the placement and are not taken. */
  readonly passedOver: ClusterChoice["passedOver"];
  /** When to look again though nothing has happened. */
  readonly againMs: number;
}

interface Desired {
  readonly cluster: Cluster;
  readonly name: string;
  readonly spec: PlacementSpec;
  readonly present: WorkloadPlacement | undefined;
}

/**
 * Decides where an instance belongs, and with which revision. While something is in the way, placements stay exactly as
 * they are: whatever runs, keeps running as it was agreed to.
 */
export function planPlacements(input: PlanInput): PlacementPlan {
  const { instance, placements } = input;
  const present = new Set(placements.map(({ spec }) => spec.cluster));
  const { chosen, passedOver, problem } = chooseClusters(instance.spec, input.clusters, present);
  const names = new Set(chosen.map(({ metadata }) => metadata.name));
  const leaving = placements.filter(({ spec }) => !names.has(spec.cluster));
  const held = removalHold(input, leaving.length);
  const surplus = held === undefined ? leaving.map(({ metadata }) => metadata.name) : [];
  const resolved = resolveWorkload(input);
  const unchanged = { ...nothing, passedOver, rollout: instance.status.rollout };
  const blocked = "hold" in resolved ? resolved.hold : cycleHold(input);
  if ("hold" in resolved || blocked !== undefined) return { ...unchanged, surplus, hold: blocked };
  const desired = chosen.map((cluster) => desiredIn(cluster, resolved.spec, input));
  const { paused } = instance.spec;
  if (paused !== undefined) {
    return { ...unchanged, revision: resolved.spec.revision, hold: pausedHold(input, desired, surplus) };
  }
  const rolled = roll(input, resolved.spec.revision, desired);
  return {
    ...rolled,
    surplus,
    passedOver,
    hold: rolled.hold ?? held ?? (problem === undefined ? undefined : notSpread(problem)),
  };
}

const nothing = {
  wanted: new Map(),
  surplus: [],
  waiting: new Map(),
  revision: undefined,
  rollout: undefined,
  againMs: Infinity,
};

function notSpread(message: string): Statement {
  return { status: "False", reason: "NotSpread", message };
}

/** Clusters that a selector loses all at once are rather a mistake in labels than a wish. */
function removalHold({ instance, placements }: PlanInput, leaving: number): Statement | undefined {
  const { placement, approved } = instance.spec;
  if (placement.selector === undefined || leaving < 2 || leaving < placements.length) return undefined;
  if (approved !== undefined && placements.every(({ spec }) => spec.revision === approved.revision)) {
    return undefined;
  }
  return {
    status: "False",
    reason: "PlacementHeld",
    message: `The selector matches none of the ${leaving} clusters any more; they keep the workload. Correct the selector or the labels, or agree to its removal: bowline approve wi/${instance.metadata.name}.`,
  };
}

function cycleHold({ cycle }: PlanInput): Statement | undefined {
  if (cycle === undefined) return undefined;
  const message = `It waits for itself, by dependsOn: ${cycle.join(" → ")}. Take one of them out.`;
  return { status: "False", reason: "DependencyCycle", message };
}

function pausedHold(
  { instance }: PlanInput,
  desired: readonly Desired[],
  surplus: readonly string[],
): Statement | undefined {
  const { name } = instance.metadata;
  const reason = instance.spec.paused?.reason ?? "";
  const others = desired.filter((each) => !hasChange(each)).length + surplus.length;
  if (others === 0) return undefined;
  const message = `It is paused${reason === "" ? "" : ` (${reason})`}, and would change ${others === 1 ? "one cluster" : `${others} clusters`}. Let it go on: bowline resume wi/${name}.`;
  return { status: "Unknown", reason: "Paused", message };
}

/** What the instance wants in one cluster: of the overrides that match it, the later wins. */
function desiredIn(
  cluster: Cluster,
  spec: Omit<PlacementSpec, "cluster">,
  { instance, placements }: PlanInput,
): Desired {
  const { name } = cluster.metadata;
  return {
    cluster,
    name: placementName(instance.metadata.name, name),
    spec: { ...spec, cluster: name, ...overridesIn(cluster, instance.spec) },
    present: placements.find((placement) => placement.spec.cluster === name),
  };
}

/** The parameters and patches of an instance in one cluster. */
export function overridesIn(
  { metadata }: Cluster,
  spec: WorkloadInstance["spec"],
): Pick<PlacementSpec, "parameters" | "patches"> {
  const overrides = (spec.overrides ?? []).filter(({ selector }) =>
    matchesLabels(labelRequirementsOf(selector), metadata.labels),
  );
  const patches = overrides.flatMap((each) => each.patches ?? []);
  return {
    parameters: Object.assign({}, spec.parameters, ...overrides.map(({ parameters }) => parameters)),
    ...(patches.length === 0 ? {} : { patches }),
  };
}

/** In whose name it acts and what was approved changes nothing of what is in the cluster. */
function hasChange({ spec, present }: Desired): boolean {
  if (present === undefined || present.metadata.deletedAt !== undefined) return false;
  return isDeepStrictEqual(contentOf(present.spec), contentOf(spec));
}

function contentOf(spec: PlacementSpec): object {
  const { approved: _, actingUser: __, ...content } = spec;
  return content;
}

function isReady({ present }: Desired): boolean {
  if (present === undefined) return false;
  const ready = findCondition(present.status.conditions, "Ready");
  return ready?.status === "True" && ready.observedGeneration === present.metadata.generation;
}

type Rolled = Pick<PlacementPlan, "wanted" | "hold" | "waiting" | "revision" | "rollout" | "againMs">;

/** Which of the clusters get it now. */
function roll(input: PlanInput, revision: string, desired: readonly Desired[]): Rolled {
  const { instance, dependencies, nowMs } = input;
  const { rollout, approved } = instance.spec;
  const clusters = desired.map((each) => rolloutCluster(each, instance, dependencies));
  if (rollout === undefined) {
    const waiting = new Map(
      clusters.flatMap(({ name, hasChange: has, wait }) =>
        has || wait === undefined ? [] : [[name, wait] as const],
      ),
    );
    const wanted = wantedOf(desired.filter(({ spec }) => !waiting.has(spec.cluster)));
    return { wanted, hold: undefined, waiting, revision, rollout: undefined, againMs: Infinity };
  }
  const { definition, overrides, ...settings } = instance.spec;
  const { namespace, parameters, prune, pruneLimit, deletionPolicy, conflicts, drift, ignore } = settings;
  const kept = { namespace, parameters, prune, pruneLimit, deletionPolicy, conflicts, drift, ignore };
  const { takeoverFrom } = settings;
  const takeover = takeoverFrom === undefined ? {} : { takeoverFrom };
  const isApproved = approved?.revision === revision;
  const plan = planRollout({
    rollout,
    change: contentId(
      canonicalJson({ revision, definition, overrides: overrides ?? [], ...kept, ...takeover }),
    ),
    revision,
    clusters,
    state: instance.status.rollout,
    present: mostCommon(input.placements.map(({ spec }) => spec.revision)),
    approved: {
      wave: isApproved ? (approved.wave ?? 0) : 0,
      failures: isApproved ? (approved.failures ?? 0) : 0,
    },
    nowMs,
  });
  const target = plan.state.phase === "RolledBack" ? (plan.state.from ?? revision) : revision;
  const open = desired.filter(({ spec }) => plan.open.has(spec.cluster));
  return {
    wanted: wantedOf(open.map((each) => ({ ...each, spec: { ...each.spec, revision: target } }))),
    hold: rolloutHold(instance.metadata.name, plan.state),
    waiting: plan.waiting,
    revision: target,
    rollout: plan.state,
    againMs: plan.againMs,
  };
}

function wantedOf(desired: readonly Desired[]): Map<string, PlacementSpec> {
  return new Map(desired.map(({ name, spec }) => [name, spec]));
}

function rolloutCluster(
  desired: Desired,
  instance: WorkloadInstance,
  dependencies: readonly WorkloadPlacement[],
): RolloutCluster {
  const { metadata, status } = desired.cluster;
  return {
    name: metadata.name,
    labels: metadata.labels,
    isConnected: status.agent?.connectedSince !== undefined,
    hasChange: hasChange(desired),
    isReady: isReady(desired),
    wait: dependencyWait(instance, metadata.name, dependencies),
  };
}

function mostCommon(revisions: readonly string[]): string | undefined {
  const counts = Map.groupBy(revisions, (revision) => revision);
  return [...counts.entries()].toSorted((a, b) => b[1].length - a[1].length)[0]?.[0];
}

function rolloutHold(name: string, state: RolloutStatus): Statement | undefined {
  const { phase, failed, revision, from = "", wave, waveCount } = state;
  const where = failed.length > 3 ? `${failed.length} clusters, ${failed[0]}` : failed.join(", ");
  const failure = `Revision ${shortId(revision)} was not ready in time in ${where}`;
  const messages = {
    Paused: `${failure}, and goes no further. Go on all the same: bowline resume wi/${name}. Go back: bowline rollback wi/${name}.`,
    RolledBack: `${failure}; all clusters are back at ${shortId(from)}. The next revision is taken by itself; to try this one again: bowline resume wi/${name}.`,
    WaitingForApproval: `Wave ${wave} of ${waveCount} waits for an agreement. Let it begin: bowline approve wi/${name}.`,
  };
  if (phase === "Progressing" || phase === "Soaking" || phase === "Complete") return undefined;
  const reason = phase === "Paused" ? "RolloutPaused" : phase;
  return { status: "False", reason, message: messages[phase] };
}
