import {
  parseFieldPath,
  valuesAt,
  type FieldPath,
  type Kind,
  type PathStep,
  type Reference,
} from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { Transaction } from "../../engine/transaction.ts";
import { maxReferrers, type CommitBatch } from "../commit-batch.ts";
import type { ObjectReference } from "../object-index.ts";
import type { StoredObject } from "../stored-object.ts";

/** The changes it takes for an object to go. */
export interface DeletionPlan {
  /** Changes to be made, in this order; the object itself comes last. */
  readonly steps: readonly DeletionStep[];
  /** References that somebody has to change first; nothing can be done while there is any. */
  readonly blockedBy: readonly ObjectReference[];
}

export type DeletionStep =
  | {
      readonly action: "delete";
      readonly kind: string;
      readonly name: string;
      /** It goes as a part of another object that is deleted. */
      readonly isOwned: boolean;
    }
  | { readonly action: "update"; readonly kind: string; readonly name: string; readonly spec: object };

interface Planned {
  readonly kind: Kind;
  readonly name: string;
  readonly isOwned?: boolean;
}

export interface DeletionRoot {
  readonly kind: Kind;
  readonly name: string;
  /** Whether to deal with everything that refers to it, and not only with what it owns. */
  readonly cascade: boolean;
}

/** One transaction changes all of it; SQLite does nothing else in the meantime. */
const maxSteps = 1_000;
/** Parts of an object are no reason to refuse its deletion, so there may be as many of them as a fleet can have. */
const maxOwned = 10_000;

/**
 * Finds out what has to happen to everything that refers to an object, directly or through others, before that object
 * can go. What each reference means for it is written in the kinds.
 */
export function* planDeletion(
  batch: CommitBatch,
  kinds: readonly Kind[],
  root: DeletionRoot,
): Transaction<DeletionPlan> {
  const plan = new GrowingPlan(root);
  // A map can grow while it is walked through: what is added is visited too.
  for (const target of plan.deletes.values()) {
    for (const referrer of yield* resolveReferrers(batch, kinds, target)) plan.take(referrer, target);
    plan.requireBounded();
  }
  return plan.finished();
}

class GrowingPlan {
  readonly deletes: Map<string, Planned>;
  readonly #root: DeletionRoot;
  readonly #specs = new Map<string, { readonly planned: Planned; readonly spec: object }>();
  readonly #refused: ObjectReference[] = [];
  #owned = 0;

  constructor(root: DeletionRoot) {
    this.#root = root;
    this.deletes = new Map([[keyOf(root.kind.kind, root.name), root]]);
  }

  take({ referrer, kind, reference, stored }: ResolvedReferrer, target: Planned): void {
    const isOwned = reference?.cascade === "owned";
    const isLeft = reference?.cascade === "refuse" || !(this.#root.cascade || isOwned);
    if (kind === undefined || stored === undefined || isLeft) {
      this.#refused.push(referrer);
      return;
    }
    const key = keyOf(referrer.kind, referrer.name);
    const planned = { kind, name: referrer.name, isOwned };
    const spec = this.#specs.get(key)?.spec ?? stored.object.spec;
    const left =
      reference?.cascade === "remove" ? withoutReference(spec, referrer.field, target.name) : undefined;
    if (left !== undefined) this.#specs.set(key, { planned, spec: left });
    else if (!this.deletes.has(key)) {
      this.deletes.set(key, planned);
      if (isOwned) this.#owned += 1;
    }
  }

  requireBounded(): void {
    const others = this.deletes.size + this.#specs.size - this.#owned;
    if (this.#owned > maxOwned || others > maxSteps) throw tooMany(this.#root);
  }

  finished(): DeletionPlan {
    const updates = [...this.#specs]
      .filter(([key]) => !this.deletes.has(key))
      .map(([, { planned, spec }]) => updateStep(planned, spec));
    // An object that was found later refers to one that was found before it.
    const deletions = [...this.deletes.values()].toReversed().map(deleteStep);
    return {
      steps: [...updates, ...deletions],
      blockedBy: this.#refused.filter(({ kind, name }) => !this.deletes.has(keyOf(kind, name))),
    };
  }
}

function updateStep({ kind, name }: Planned, spec: object): DeletionStep {
  return { action: "update", kind: kind.kind, name, spec };
}

function deleteStep({ kind, name, isOwned = false }: Planned): DeletionStep {
  return { action: "delete", kind: kind.kind, name, isOwned };
}

interface ResolvedReferrer {
  readonly referrer: ObjectReference;
  readonly kind: Kind | undefined;
  readonly reference: Reference | undefined;
  readonly stored: StoredObject | undefined;
}

/** The objects that refer to one, read all at once. */
function* resolveReferrers(
  batch: CommitBatch,
  kinds: readonly Kind[],
  target: Planned,
): Transaction<ResolvedReferrer[]> {
  if (!canBeReferred(kinds, target.kind)) return [];
  const referrers = yield* batch.referrers(target.kind, target.name);
  if (referrers.length >= maxReferrers) throw tooMany(target);
  const found = referrers.map((referrer) => ({
    referrer,
    kind: kinds.find((candidate) => candidate.kind === referrer.kind),
  }));
  const objects = found.flatMap(({ referrer: { name }, kind }) =>
    kind === undefined ? [] : [{ kind, name }],
  );
  yield* batch.prefetch([{ objects }]);
  const resolved: ResolvedReferrer[] = [];
  for (const { referrer, kind } of found) {
    const reference = kind?.references.find(({ field }) => field === referrer.field);
    const stored = kind === undefined ? undefined : yield* batch.find(kind, referrer.name);
    resolved.push({ referrer, kind, reference, stored });
  }
  return resolved;
}

/** Most kinds are named by none, and thousands of their objects need not be asked about one by one. */
export function canBeReferred(kinds: readonly Kind[], { kind }: Kind): boolean {
  return kinds.some(({ references }) => references.some((reference) => reference.kind === kind));
}

function keyOf(kind: string, name: string): string {
  return `${kind}/${name}`;
}

function tooMany({ kind, name }: Planned): BowlineError {
  return new BowlineError(
    "StillReferenced",
    `Too many objects would change with ${kind.kind} "${name}", more than ${maxSteps} or ${maxOwned} parts of it; change or delete them in smaller groups first.`,
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
