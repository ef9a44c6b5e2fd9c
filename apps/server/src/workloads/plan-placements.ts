import {
  placementName,
  type Cluster,
  type SpecOf,
  type StatusOf,
  type WorkloadDefinition,
  type WorkloadInstance,
  type WorkloadPlacement,
} from "@bowline/api";
import { chooseParameters } from "@bowline/manifests";
import type { ConditionUpdate } from "@bowline/runtime";

import { actingUserOf } from "./acting-user.ts";

export type Statement = Pick<ConditionUpdate, "status" | "reason" | "message">;
export type PlacementSpec = SpecOf<typeof WorkloadPlacement>;

export interface PlanInput {
  readonly instance: WorkloadInstance;
  /** Undefined when there is none of that name. */
  readonly definition: WorkloadDefinition | undefined;
  /** Those of the placement, in their order; clusters that are being deleted are not among them. */
  readonly clusters: readonly Cluster[];
  /** Those that the instance has. */
  readonly placements: readonly WorkloadPlacement[];
}

/** The changes that bring an instance to the clusters it belongs in. */
export interface PlacementPlan {
  /** Placements as they should be, by name. */
  readonly wanted: ReadonlyMap<string, PlacementSpec>;
  /** Names of placements that should go. */
  readonly surplus: readonly string[];
  /** Why something is left as it is until somebody has done something; undefined when nothing is in the way. */
  readonly hold: Statement | undefined;
}

/**
 * Decides where an instance belongs, and with which revision. While something is in the way, placements stay exactly as
 * they are: whatever runs, keeps running as it was agreed to.
 */
export function planPlacements(input: PlanInput): PlacementPlan {
  const { clusters, placements } = input;
  const names = new Set(clusters.map(({ metadata }) => metadata.name));
  const leaving = placements.filter(({ spec }) => !names.has(spec.cluster));
  const held = removalHold(input, leaving.length);
  const surplus = held === undefined ? leaving.map(({ metadata }) => metadata.name) : [];
  const resolved = resolve(input);
  if ("hold" in resolved) return { wanted: new Map(), surplus, hold: resolved.hold };
  const wanted = new Map(
    [...names].map((cluster) => [
      placementName(input.instance.metadata.name, cluster),
      { ...resolved.spec, cluster },
    ]),
  );
  return { wanted, surplus, hold: held };
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

type Resolved = { readonly hold: Statement } | { readonly spec: Omit<PlacementSpec, "cluster"> };

function resolve({ instance, definition }: PlanInput): Resolved {
  const { spec, metadata } = instance;
  if (definition === undefined) {
    const message = `There is no WorkloadDefinition ${spec.definition}; create it, or name another one.`;
    return { hold: { status: "False", reason: "DefinitionNotFound", message } };
  }
  const revision = definition.status.revision?.id;
  const unresolved = resolutionProblem(definition);
  if (revision === undefined || unresolved !== undefined) return { hold: unresolved ?? resolving(spec) };
  const { problems } = chooseParameters(definition.spec.parameters, spec.parameters);
  if (problems.length > 0) {
    return { hold: { status: "False", reason: "InvalidParameters", message: problems.join(" ") } };
  }
  const actingUser = actingUserOf(instance);
  if (actingUser === undefined) {
    const message = "Nobody is known to have written it, so it acts for nobody; write it again.";
    return { hold: { status: "False", reason: "NotGranted", message } };
  }
  if (!isAgreedTo(revision, { instance, definition, user: actingUser.user })) {
    const author = definition.status.author?.user ?? "somebody";
    const message = `Revision ${shortId(revision)} was written by ${author}, and would act in the clusters as ${actingUser.user}. Look at it, then agree to it: bowline approve wi/${metadata.name}.`;
    return { hold: { status: "False", reason: "WaitingForApproval", message } };
  }
  const { placement: _, approved, actingUser: __, ...settings } = spec;
  return {
    spec: {
      ...settings,
      instance: metadata.name,
      revision,
      actingUser,
      ...(approved === undefined ? {} : { approved: approved.revision }),
    },
  };
}

/** Why the definition cannot be used now. */
function resolutionProblem({ metadata, status }: WorkloadDefinition): Statement | undefined {
  const ready = status.conditions.find(({ type }) => type === "Ready");
  if (metadata.deletedAt !== undefined) {
    const message = `The WorkloadDefinition ${metadata.name} is being deleted.`;
    return { status: "False", reason: "DefinitionDeleted", message };
  }
  if (ready?.status === "False") {
    const message = `The WorkloadDefinition ${metadata.name} is not ready: ${ready.message}`;
    return { status: "False", reason: "DefinitionNotReady", message };
  }
  // An author is of the newest spec; the revision must be too, or somebody would answer for what another one wrote.
  const isCurrent = status.observedGeneration === metadata.generation && status.revision !== undefined;
  return isCurrent ? undefined : resolving({ definition: metadata.name });
}

function resolving({ definition }: { readonly definition: string }): Statement {
  return {
    status: "Unknown",
    reason: "Resolving",
    message: `The WorkloadDefinition ${definition} is being resolved.`,
  };
}

interface Agreement {
  readonly instance: WorkloadInstance;
  readonly definition: WorkloadDefinition;
  readonly user: string;
}

/** Nobody is to use somebody else's rights by changing what runs with them; admins may name anybody anyway. */
function isAgreedTo(revision: string, { instance, definition, user }: Agreement): boolean {
  if (instance.spec.approved?.revision === revision) return true;
  const author: StatusOf<typeof WorkloadDefinition>["author"] = definition.status.author;
  return author !== undefined && (author.user === user || author.role === "admin");
}

/** As much of an id as people need to tell revisions apart. */
export function shortId(revision: string): string {
  return revision.replace(/^sha256:/u, "").slice(0, 12);
}
