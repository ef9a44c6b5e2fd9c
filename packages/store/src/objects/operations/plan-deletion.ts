import { parseFieldPath, valuesAt, type FieldPath, type Kind, type PathStep } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { Transaction } from "../../engine/transaction.ts";
import { maxReferrers, type CommitBatch } from "../commit-batch.ts";
import type { ObjectReference } from "../object-index.ts";

/** The changes it takes for an object to go. */
export interface DeletionPlan {
  /** Changes to be made, in this order; the object itself comes last. */
  readonly steps: readonly DeletionStep[];
  /** References that somebody has to change first; nothing can be done while there is any. */
  readonly blockedBy: readonly ObjectReference[];
}

export type DeletionStep =
  | { readonly action: "delete"; readonly kind: string; readonly name: string }
  | { readonly action: "update"; readonly kind: string; readonly name: string; readonly spec: object };

interface Planned {
  readonly kind: Kind;
  readonly name: string;
}

/** One transaction changes all of it; SQLite does nothing else in the meantime. */
const maxSteps = 1_000;

/**
 * Finds out what has to happen to everything that refers to an object, directly or through others, before that object
 * can go. What each reference means for it is written in the kinds.
 */
export function* planDeletion(
  batch: CommitBatch,
  kinds: readonly Kind[],
  root: Planned,
): Transaction<DeletionPlan> {
  const deletes = new Map<string, Planned>([[keyOf(root.kind.kind, root.name), root]]);
  const specs = new Map<string, { readonly planned: Planned; readonly spec: object }>();
  const refused: ObjectReference[] = [];
  // A map can grow while it is walked through: what is added is visited too.
  for (const target of deletes.values()) {
    const referrers = yield* batch.referrers(target.kind, target.name);
    if (referrers.length >= maxReferrers) throw tooMany(root);
    for (const referrer of referrers) {
      const key = keyOf(referrer.kind, referrer.name);
      const kind = kinds.find((candidate) => candidate.kind === referrer.kind);
      const reference = kind?.references.find(({ field }) => field === referrer.field);
      const stored = kind === undefined ? undefined : yield* batch.find(kind, referrer.name);
      if (kind === undefined || stored === undefined || reference?.cascade === "refuse") {
        refused.push(referrer);
        continue;
      }
      const planned = { kind, name: referrer.name };
      const spec = specs.get(key)?.spec ?? stored.object.spec;
      const left =
        reference?.cascade === "remove" ? withoutReference(spec, referrer.field, target.name) : undefined;
      if (left === undefined) deletes.set(key, deletes.get(key) ?? planned);
      else specs.set(key, { planned, spec: left });
    }
    if (deletes.size + specs.size > maxSteps) throw tooMany(root);
  }
  const updates = [...specs]
    .filter(([key]) => !deletes.has(key))
    .map(([, { planned, spec }]) => updateStep(planned, spec));
  // An object that was found later refers to one that was found before it.
  const deletions = [...deletes.values()].toReversed().map(deleteStep);
  return {
    steps: [...updates, ...deletions],
    blockedBy: refused.filter(({ kind, name }) => !deletes.has(keyOf(kind, name))),
  };
}

function updateStep({ kind, name }: Planned, spec: object): DeletionStep {
  return { action: "update", kind: kind.kind, name, spec };
}

function deleteStep({ kind, name }: Planned): DeletionStep {
  return { action: "delete", kind: kind.kind, name };
}

function keyOf(kind: string, name: string): string {
  return `${kind}/${name}`;
}

function tooMany({ kind, name }: Planned): BowlineError {
  return new BowlineError(
    "StillReferenced",
    `More than ${maxSteps} objects would change with ${kind.kind} "${name}"; change or delete them in smaller groups first.`,
  );
}

/**
 * The spec without an object's name in the list a reference points into, or undefined if that would leave the list
 * empty, or if there is no list to take it out of.
 */
export function withoutReference(spec: object, field: string, name: string): object | undefined {
  const { text, steps } = parseFieldPath(field);
  const each = steps.findIndex((step) => step.step === "each");
  if (each < 0) return undefined;
  const rest: FieldPath = { text, steps: steps.slice(each + 1) };
  const keep = (item: unknown): boolean => !valuesAt(rest, item).includes(name);
  // The first step goes into the spec itself.
  return filterAt(spec, steps.slice(1, each), keep);
}

function filterAt(
  value: object,
  [step, ...rest]: readonly PathStep[],
  keep: (item: unknown) => boolean,
): object | undefined {
  if (step?.step !== "property") return undefined;
  const inner: unknown = Reflect.get(value, step.name);
  if (rest.length > 0) {
    if (typeof inner !== "object" || inner === null) return value;
    const replaced = filterAt(inner, rest, keep);
    return replaced === undefined ? undefined : { ...value, [step.name]: replaced };
  }
  if (!Array.isArray(inner)) return value;
  const left = inner.filter(keep);
  return left.length === 0 ? undefined : { ...value, [step.name]: left };
}
