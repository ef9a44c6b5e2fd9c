import { configKinds, type ConfigSource, type StatusOf } from "@bowline/api";
import { canonicalJson, contentId } from "@bowline/core";
import { findCondition, setCondition } from "@bowline/runtime";

import type { ObjectEvent } from "../controllers/object-task.ts";
import type { SourceFiles } from "../sources/git-reader.ts";
import {
  answerOf,
  failedStatus,
  hookFor,
  inputsIn,
  isUpToDate,
  type FailedSource,
} from "../sources/source-status.ts";
import type { ConfigPlan, KnownObject } from "./plan-config.ts";

type Status = StatusOf<typeof ConfigSource>;
type Kinds = ConfigSource["spec"]["kinds"];

/** Whether a commit was dealt with already, under the settings that there are now. */
export function isApplied({ metadata, status }: ConfigSource, commit: string): boolean {
  if (status.applied?.commit !== commit) return false;
  if (isUpToDate(status, metadata.generation)) return true;
  // It waits for somebody, who changes the spec.
  const held = findCondition(status.conditions, "UpToDate");
  return held?.reason === "PruneHeld" && held.observedGeneration === metadata.generation;
}

/** Changes with everything in the spec that decides which objects there are, and in whose name they were written. */
export function configInputs({ git: { url, ref, path }, kinds, actsAs }: ConfigSource["spec"]): string {
  return contentId(canonicalJson({ url, ref, path, kinds, actsAs }));
}

type Refusal = Pick<FailedSource<Status>, "reason" | "message" | "commit" | "nowMs">;

/** The status of a source of which a commit could not be read or applied. */
export function refusedStatus(
  { metadata, spec, status: before }: ConfigSource,
  refusal: Refusal,
): (status: Status) => Status {
  const { generation } = metadata;
  const kept = ({ applied }: Status): string =>
    `The objects stay as they are (commit ${applied?.commit ?? ""}).`;
  const { git } = spec;
  const inputs = configInputs(spec);
  return failedStatus<Status>({ ...refusal, generation, git, inputs, usable: "Applied", kept, before });
}

const maxNamed = 20;
const maxOverridden = 100;

/** The status of a source whose commit was applied, and the event that tells of it. */
export function appliedStatus(
  { metadata: { generation, name }, spec, status: before }: ConfigSource,
  { commit, signer }: Pick<SourceFiles, "commit" | "signer">,
  { writes, held, total }: Pick<ConfigPlan, "writes" | "held" | "total">,
  nowMs: number,
): { readonly change: (status: Status) => Status; readonly event: ObjectEvent } {
  const hookOf = hookFor(spec.git);
  const observed = { observedGeneration: generation };
  const isHeld = held.length > 0;
  const heldMessage = `${held.length} of ${total} objects are not in the repository any more: ${names(held)}. That many are deleted when somebody has looked at it: bowline approve cs/${name}. Everything else of the commit is applied.`;
  const message = isHeld ? heldMessage : "";
  const upToDate = isHeld
    ? ({ ...observed, type: "UpToDate", status: "False", reason: "PruneHeld", message } as const)
    : ({ ...observed, type: "UpToDate", status: "True", reason: "Applied", message } as const);
  const ready = { ...observed, type: "Ready", status: "True", reason: "Applied", message: "" } as const;
  const change = (status: Status): Status => {
    const { held: _, overridden: __, ...rest } = status;
    const { pushedAt, requestedAt } = status.source ?? {};
    return {
      ...rest,
      source: {
        commit,
        ...inputsIn(configInputs(spec)),
        ...hookOf(status),
        ...(pushedAt === undefined ? {} : { pushedAt }),
        ...(requestedAt === undefined ? {} : { requestedAt }),
        ...answerOf(before),
      },
      applied: {
        commit,
        ...(signer === undefined ? {} : { signer }),
        at: new Date(nowMs).toISOString(),
        objects: writes.length,
      },
      ...(isHeld ? { held: { commit, deletions: held.length, total, objects: named(held) } } : {}),
      conditions: [...setCondition(setCondition(status.conditions, ready, nowMs), upToDate, nowMs)],
    };
  };
  const event: ObjectEvent = isHeld
    ? { type: "Warning", reason: "PruneHeld", message: heldMessage }
    : {
        type: "Normal",
        reason: "Applied",
        message: `Commit ${commit} was applied; it has ${writes.length} ${writes.length === 1 ? "object" : "objects"}.`,
      };
  return { change, event };
}

/** The status with the objects that people have changed by hand. */
export function withOverridden(own: readonly KnownObject[]): (status: Status) => Status {
  const overridden = own.flatMap(({ kind, object }) => {
    const user = object.metadata.managedBy?.overriddenBy;
    return user === undefined
      ? []
      : kindsOf(kind.kind).map((each) => ({ kind: each, name: object.metadata.name, user }));
  });
  return (status) => {
    const { overridden: _, ...rest } = status;
    return overridden.length === 0 ? rest : { ...rest, overridden: overridden.slice(0, maxOverridden) };
  };
}

function named(objects: readonly KnownObject[]): { kind: Kinds[number]; name: string }[] {
  return objects
    .slice(0, maxNamed)
    .flatMap(({ kind, object }) =>
      kindsOf(kind.kind).map((each) => ({ kind: each, name: object.metadata.name })),
    );
}

function names(objects: readonly KnownObject[]): string {
  const told = objects.slice(0, maxNamed).map(({ kind, object }) => `${kind.kind} ${object.metadata.name}`);
  const rest = objects.length - told.length;
  return `${told.join(", ")}${rest === 0 ? "" : ` and ${rest} more`}`;
}

function kindsOf(name: string): Kinds {
  return configKinds.filter((kind) => kind === name);
}
