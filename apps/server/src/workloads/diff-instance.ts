import { namesNone } from "./default-cluster.ts";
import {
  diffLimits,
  invalidError,
  pinOf,
  type Cluster,
  type SpecOf,
  type WorkloadDefinition,
  type WorkloadDiff,
  type WorkloadInstance,
} from "@bowline/api";
import type { Identity } from "@bowline/auth";
import { BowlineError, labelRequirementsOf, matchesLabels, shortened } from "@bowline/core";
import {
  chooseParameters,
  parseManifests,
  readRevision,
  revisionOf,
  type RevisionContent,
} from "@bowline/manifests";
import type { Store } from "@bowline/store";
import type { DiffResult, ObjectDifference, Workload } from "@bowline/workloads";

import type { ActingFor } from "./cluster-clients.ts";
import { overridesIn } from "./plan-placements.ts";
import { shortId } from "./resolve-workload.ts";
import { withEngine, workloadIn, type EngineTools } from "./engine-in-cluster.ts";

export interface DiffTools extends EngineTools {
  readonly store: Pick<Store, "inventory" | "revisions">;
}

export interface DiffSubject {
  readonly name: string;
  /** Undefined for an instance that is not there yet. */
  readonly id: string | undefined;
  readonly spec: SpecOf<typeof WorkloadInstance>;
  /** It is being deleted. */
  readonly isGoing: boolean;
  readonly cluster: Cluster;
  /** Undefined when there is none of that name; one that was not written yet has no status. */
  readonly definition: Pick<WorkloadDefinition, "spec"> | WorkloadDefinition | undefined;
  /** A content that the definition does not have yet, in the place of its own. */
  readonly preview?: { readonly commit: string; readonly id: string; readonly content: string } | undefined;
}

export interface DiffCaller {
  readonly identity: Identity;
  readonly request: ActingFor;
  readonly signal: AbortSignal;
}

/** Asks a cluster what would become of an instance there, with the rights of whoever wants to know. */
export async function diffInstance(
  tools: DiffTools,
  subject: DiffSubject,
  { identity, request, signal }: DiffCaller,
): Promise<WorkloadDiff> {
  const { name, id = "", cluster } = subject;
  const isStaying = !subject.isGoing && isPlacedIn(subject.spec, cluster);
  const workload = isStaying ? await wantedWorkload(tools, subject) : nothing(subject);
  const instance = { id, name };
  const result = await withEngine(tools, { cluster, instance, identity, request }, (engine) =>
    engine.diff(workload, { signal }),
  );
  const isRetained = !isStaying && subject.spec.deletionPolicy === "retain";
  return {
    instance: name,
    cluster: cluster.metadata.name,
    ...(isStaying ? { revision: workload.revision } : {}),
    ...(subject.preview === undefined ? {} : { commit: subject.preview.commit }),
    ...diffBody(result, isRetained),
  };
}

function isPlacedIn({ placement }: DiffSubject["spec"], { metadata, spec }: Cluster): boolean {
  if (metadata.deletedAt !== undefined) return false;
  if (namesNone(placement)) return spec.default === true;
  if (placement.selector === undefined) return placement.clusters?.includes(metadata.name) ?? false;
  return matchesLabels(labelRequirementsOf(placement.selector), metadata.labels);
}

async function wantedWorkload(tools: DiffTools, subject: DiffSubject): Promise<Workload> {
  const { spec, definition, cluster } = subject;
  if (definition === undefined) {
    throw new BowlineError("NotFound", `There is no WorkloadDefinition ${spec.definition}.`);
  }
  const { revision, objects, parameters } =
    subject.preview === undefined
      ? await contentOf(tools, spec, definition)
      : { ...readRevision(subject.preview), revision: subject.preview.id };
  const overrides = overridesIn(cluster, spec);
  const { problems } = chooseParameters(parameters, overrides.parameters);
  if (problems.length > 0) {
    const fields = problems.map((message) => ({ path: "spec.parameters", message }));
    throw invalidError("The WorkloadInstance", fields);
  }
  const approved = spec.approved?.revision ?? "";
  return workloadIn(cluster, { ...spec, ...overrides, revision, approved }, { objects, parameters });
}

interface ResolvedContent extends Pick<Workload, "objects"> {
  readonly revision: string;
  readonly parameters: RevisionContent["parameters"];
}

/** What the definition says now, also when its revision is still being made; or what the instance is pinned to. */
async function contentOf(
  { store }: DiffTools,
  spec: DiffSubject["spec"],
  definition: NonNullable<DiffSubject["definition"]>,
): Promise<ResolvedContent> {
  const { source, parameters } = definition.spec;
  const pin = pinOf({ spec }, { status: "status" in definition ? definition.status : undefined });
  if (source.inline !== undefined && pin === undefined) {
    const { objects } = parseManifests(source.inline.manifests);
    return { revision: revisionOf({ objects, parameters }).id, objects, parameters };
  }
  const id = pin ?? ("status" in definition ? definition.status.revision?.id : undefined);
  const content = id === undefined ? undefined : await store.revisions.content(id);
  if (id === undefined || content === undefined) {
    const message =
      pin === undefined
        ? `The WorkloadDefinition ${spec.definition} was not resolved to a revision yet.`
        : `The revision ${shortId(pin)} that it is pinned to is not kept.`;
    throw new BowlineError("Conflict", message, { retryable: false });
  }
  return { ...readRevision({ id, content }), revision: id };
}

/** Everything that the instance has in the cluster would go, without the limit. */
function nothing({ spec, cluster }: DiffSubject): Workload {
  const settings = { ...spec, revision: "", approved: "", prune: true };
  return workloadIn(cluster, settings, { objects: [], parameters: [] });
}

type DiffBody = Pick<WorkloadDiff, "held" | "unchangedCount" | "objectCount" | "objects">;

/** Large contents are left out from the first that has no room any more on; their objects are still named. */
function diffBody({ objects, held }: DiffResult, isRetained: boolean): DiffBody {
  const different = objects.filter(({ change }) => change !== "unchanged");
  let room: number = diffLimits.contentBytes;
  const told = different.slice(0, diffLimits.objects).map((object) => {
    const contents = isRetained ? {} : contentsOf(object);
    room -= JSON.stringify(contents).length;
    return { ...nameAndChange(object, isRetained), ...(room < 0 ? tooLarge : contents) };
  });
  return {
    ...(held === undefined ? {} : { held }),
    unchangedCount: objects.length - different.length,
    objectCount: different.length,
    objects: told,
  };
}

const tooLarge = { message: "It is too large to be shown together with the others." };
const retained = {
  change: "kept",
  reason: "Retained",
  message: "It stays, as deletionPolicy says.",
} as const;
const changes = {
  created: "created",
  changed: "changed",
  pruned: "deleted",
  kept: "kept",
  refused: "refused",
  unchanged: "kept",
} as const;

function nameAndChange(object: ObjectDifference, isRetained: boolean): WorkloadDiff["objects"][number] {
  const { group, version, kind, namespace, name, change, reason, message } = object;
  return {
    group,
    version,
    kind,
    ...(namespace === "" ? {} : { namespace }),
    name,
    change: changes[change],
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message: shortened(message, 1_024) }),
    ...(isRetained && change === "pruned" ? retained : {}),
  };
}

function contentsOf({ before, after }: ObjectDifference): Pick<ObjectDifference, "before" | "after"> {
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}
