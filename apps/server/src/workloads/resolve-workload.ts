import {
  pinOf,
  signatureProblem,
  type SignedRevision,
  type SpecOf,
  type StatusOf,
  type WorkloadDefinition,
  type WorkloadInstance,
  type WorkloadPlacement,
} from "@bowline/api";
import { chooseParameters } from "@bowline/manifests";
import type { ConditionUpdate } from "@bowline/runtime";

import { actingUserOf } from "./acting-user.ts";
import { definitionInputs } from "./definition-inputs.ts";

export type Statement = Pick<ConditionUpdate, "status" | "reason" | "message">;
export type PlacementSpec = SpecOf<typeof WorkloadPlacement>;

export interface ResolveInput {
  readonly instance: WorkloadInstance;
  /** Undefined when there is none of that name. */
  readonly definition: WorkloadDefinition | undefined;
  /** The revision that the instance is pinned to, if it is kept; of no interest where it is not pinned. */
  readonly pinned: SignedRevision | undefined;
}

export type ResolvedWorkload =
  | { readonly hold: Statement }
  | { readonly spec: Omit<PlacementSpec, "cluster"> };

/** What an instance wants in each of its clusters, before what is different in some of them; or why that is not known. */
export function resolveWorkload(input: ResolveInput): ResolvedWorkload {
  const { instance, definition } = input;
  const { spec, metadata } = instance;
  if (definition === undefined) {
    const message = `There is no WorkloadDefinition ${spec.definition}; create it, or name another one.`;
    return { hold: { status: "False", reason: "DefinitionNotFound", message } };
  }
  const pin = pinOf(instance, definition);
  const unresolved = pin === undefined ? resolutionProblem(definition) : pinProblem(input, definition, pin);
  const revision = pin ?? definition.status.revision?.id;
  if (revision === undefined || unresolved !== undefined) return { hold: unresolved ?? resolving(spec) };
  const invalid = pin === undefined ? parameterProblems(instance, definition) : [];
  if (invalid.length > 0) {
    return { hold: { status: "False", reason: "InvalidParameters", message: invalid.join(" ") } };
  }
  const actingUser = actingUserOf(instance);
  if (actingUser === undefined) {
    const message = "Nobody is known to have written it, so it acts for nobody; write it again.";
    return { hold: { status: "False", reason: "NotGranted", message } };
  }
  // Whoever pins a revision has chosen it, and it is in their name that it acts.
  if (pin === undefined && !isAgreedTo(revision, { instance, definition, user: actingUser.user })) {
    const author = definition.status.author?.user ?? "somebody";
    const message = `Revision ${shortId(revision)} was written by ${author}, and would act in the clusters as ${actingUser.user}. Look at it, then agree to it: bowline approve wi/${metadata.name}.`;
    return { hold: { status: "False", reason: "WaitingForApproval", message } };
  }
  const { namespace, parameters, prune, pruneLimit, deletionPolicy, conflicts, drift, ignore } = spec;
  const settings = { namespace, parameters, prune, pruneLimit, deletionPolicy, conflicts, drift, ignore };
  return {
    spec: {
      ...settings,
      ...(spec.takeoverFrom === undefined ? {} : { takeoverFrom: spec.takeoverFrom }),
      definition: spec.definition,
      instance: metadata.name,
      revision,
      actingUser,
      ...(spec.approved === undefined ? {} : { approved: spec.approved.revision }),
    },
  };
}

function pinProblem(
  { instance, pinned }: ResolveInput,
  definition: WorkloadDefinition,
  pin: string,
): Statement | undefined {
  const { name } = instance.metadata;
  if (pinned !== undefined) {
    const unsigned = signatureProblem(definition, pinned, name);
    return unsigned === undefined ? undefined : { status: "False", reason: "NotVerified", message: unsigned };
  }
  const message = `Revision ${shortId(pin)} is not kept for the WorkloadDefinition ${instance.spec.definition}; choose another: bowline history wi/${name}.`;
  return { status: "False", reason: "RevisionNotFound", message };
}

/** Why the definition cannot be used now. */
export function resolutionProblem({ metadata, spec, status }: WorkloadDefinition): Statement | undefined {
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
  const isOfSpec = status.observedGeneration === metadata.generation || isMadeFrom(spec, status);
  return isOfSpec && status.revision !== undefined ? undefined : resolving({ definition: metadata.name });
}

/** A spec that says the same of the content need not be looked at for that: the source may be away. */
function isMadeFrom(
  spec: WorkloadDefinition["spec"],
  { source }: StatusOf<typeof WorkloadDefinition>,
): boolean {
  return source?.inputs !== undefined && source.inputs === definitionInputs(spec);
}

function resolving({ definition }: { readonly definition: string }): Statement {
  return {
    status: "Unknown",
    reason: "Resolving",
    message: `The WorkloadDefinition ${definition} is being resolved.`,
  };
}

/** Of the instance itself, and with what each of its overrides says; what several say is told once. */
function parameterProblems({ spec }: WorkloadInstance, { spec: declared }: WorkloadDefinition): string[] {
  const given = [{}, ...(spec.overrides ?? []).map(({ parameters }) => parameters)];
  const problems = given.flatMap(
    (parameters) => chooseParameters(declared.parameters, { ...spec.parameters, ...parameters }).problems,
  );
  return [...new Set(problems)];
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
