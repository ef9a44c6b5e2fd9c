import type { Kind } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { Program } from "../../engine/program.ts";
import { maxReferrers, type CommitBatch } from "../commit-batch.ts";
import type { ObjectReference } from "../object-store.ts";
import { withoutReference } from "./without-reference.ts";

/** What has to happen for an object to go. */
export interface DeletionPlan {
  /** What is to be done, in this order; the object itself comes last. */
  readonly steps: readonly DeletionStep[];
  /** What has to be changed by somebody first; nothing can be done while there is any. */
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
): Program<DeletionPlan> {
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
  // What was found last refers to what was found before it.
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
