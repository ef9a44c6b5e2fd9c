import { isDeepStrictEqual } from "node:util";

import {
  WorkloadInstance,
  type Author,
  type Kind,
  type ManagedBy,
  type ObjectOf,
  type SpecOf,
} from "@bowline/api";
import type {
  DeletionChange,
  DesiredWrite,
  Fence,
  NewAuditRecord,
  ObjectWrite,
  WriteResult,
} from "@bowline/store";

import { writeProblems, type Acting } from "./check-change.ts";
import type { ConfigObject } from "./config-objects.ts";
import { ConfigRefused, requireNoProblems } from "./config-problem.ts";
import type { ConfigPlan, KnownObject } from "./plan-config.ts";

export interface ApplyOptions {
  readonly acting: Acting;
  /** Written down as whoever wrote the objects. */
  readonly author: Author;
  readonly repository: string;
  readonly commit: string;
  readonly fence: Fence | undefined;
  /** Names the work in the audit log. */
  readonly requestId: string;
}

/**
 * The changes of a commit, to be made in one transaction. What was planned is checked once more there, against what is
 * there at that moment; what it throws leaves everything as it was.
 */
export function configWrites(plan: ConfigPlan, options: ApplyOptions): ObjectWrite[] {
  const goes = new Set(plan.deletes.map(({ kind, object }) => `${kind.kind}/${object.metadata.name}`));
  return [
    ...plan.writes.map((object) => writeOf(object, options)),
    ...plan.releases.map((known) => releaseOf(known, options.fence)),
    ...plan.deletes.map((known) => deletionOf(known, goes, options)),
  ];
}

/** Takes the mark away; the object stays as it is. */
export function releaseOf({ kind, object }: KnownObject, fence: Fence | undefined): ObjectWrite {
  const decide = (current: ObjectOf<Kind> | undefined): DesiredWrite<Kind> => ({
    ...(current ?? object),
    managedBy: null,
  });
  const { name, resourceVersion } = object.metadata;
  // Of another version it is another object, or has been changed: whoever plans looks again.
  return { action: "write", kind, name, decide, options: { fence, resourceVersion } };
}

function writeOf(object: ConfigObject, options: ApplyOptions): ObjectWrite {
  const { kind, desired } = object;
  const { acting, author, fence } = options;
  return {
    action: "write",
    kind,
    name: desired.metadata.name,
    decide: (current) => {
      requireNoProblems(writeProblems(object, current, acting));
      const { metadata } = desired;
      const spec = withApproval(kind, desired.spec, current?.spec);
      return { metadata, spec, managedBy: markFor(object, spec, current, options) };
    },
    options: {
      author,
      fence,
      audit: (result) => (result.outcome === "unchanged" ? undefined : recordOf(result, options)),
    },
  };
}

/**
 * An approval is about what an instance does in clusters, and is given by people who look at it: it stays unless the
 * file says one itself.
 */
function withApproval(kind: Kind, spec: SpecOf<Kind>, current: SpecOf<Kind> | undefined): SpecOf<Kind> {
  if (kind.kind !== WorkloadInstance.kind || current === undefined || "approved" in spec) return spec;
  return "approved" in current ? { ...spec, approved: current["approved"] } : spec;
}

/** The commit is that of the last change: a mark that named each newest one would write every object each time. */
function markFor(
  { desired, place: { file } }: ConfigObject,
  spec: object,
  current: ObjectOf<Kind> | undefined,
  { acting, repository, commit }: ApplyOptions,
): ManagedBy {
  const mark = { configSource: acting.source, repository, file };
  const before = current?.metadata.managedBy;
  const isSame =
    current !== undefined &&
    before !== undefined &&
    isDeepStrictEqual(before, { ...mark, commit: before.commit }) &&
    isDeepStrictEqual(spec, current.spec) &&
    isDeepStrictEqual(desired.metadata.labels, current.metadata.labels) &&
    isDeepStrictEqual(desired.metadata.annotations, current.metadata.annotations);
  return isSame ? before : { ...mark, commit };
}

function deletionOf(
  { kind, object }: KnownObject,
  goes: ReadonlySet<string>,
  options: ApplyOptions,
): ObjectWrite {
  const { author, fence } = options;
  const { name, id } = object.metadata;
  const check = ({ kind: other, current, isOwned }: DeletionChange): void => {
    if (isOwned === true || goes.has(`${other.kind}/${current.metadata.name}`)) return;
    const message = `it is not in the repository any more, and ${other.kind} ${current.metadata.name} still names it`;
    throw new ConfigRefused([{ reason: "StillReferenced", object: `${kind.kind} ${name}`, message }]);
  };
  return {
    action: "delete",
    kind,
    name,
    // With what else goes, in whatever order; `check` sees to it that nothing else does.
    options: { cascade: true, id, author, fence, check, audit: (result) => recordOf(result, options) },
  };
}

const verbs = {
  created: ["create", 201],
  updated: ["update", 200],
  unchanged: ["update", 200],
  deleting: ["delete", 202],
  deleted: ["delete", 200],
} as const;

function recordOf(
  { outcome, object }: WriteResult<Kind>,
  { acting, repository, commit, requestId }: ApplyOptions,
): NewAuditRecord {
  const [verb, httpStatus] = verbs[outcome];
  return {
    actor: { user: acting.identity.user },
    verb,
    outcome: "allowed",
    httpStatus,
    kind: object.kind,
    name: object.metadata.name,
    message: `configsource/${acting.source}: commit ${commit} of ${repository}`.slice(0, 1_024),
    requestId,
  };
}
