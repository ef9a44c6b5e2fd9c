import { type ConfigSource, type Kind, type ObjectOf, type WorkloadInstance } from "@bowline/api";
import { heldPrune } from "@bowline/workloads";

import { dependencyCycle, type DependentInstance } from "../rollout/dependencies.ts";
import { deleteProblem, writeProblems, type Acting } from "./check-change.ts";
import { inKindOrder, keyOf, type ConfigObject } from "./config-objects.ts";
import type { ConfigProblem } from "./config-problem.ts";

/** An object that is there. */
export interface KnownObject {
  readonly kind: Kind;
  readonly object: ObjectOf<Kind>;
}

/** What there is besides the files. */
export interface ConfigWorld {
  /** Those that files name, and those that the source has written. */
  readonly known: ReadonlyMap<string, KnownObject>;
  /** All instances, if any of the files names instances that it depends on. */
  readonly instances: readonly DependentInstance[];
}

interface ConfigChange {
  readonly commit: string;
  /** What the files of the commit want. */
  readonly objects: readonly ConfigObject[];
  readonly world: ConfigWorld;
}

export interface ConfigPlan {
  readonly writes: readonly ConfigObject[];
  /** Objects to delete, in this order. */
  readonly deletes: readonly KnownObject[];
  /** Objects that stay and are not the source's any more. */
  readonly releases: readonly KnownObject[];
  /** Objects that would be deleted, and wait for an approval. */
  readonly held: readonly KnownObject[];
  /** How many objects the source has before. */
  readonly total: number;
  readonly problems: readonly ConfigProblem[];
}

/** Decides what a commit changes; nothing is read or written here. */
export function planConfig(
  { commit, objects, world }: ConfigChange,
  spec: ConfigSource["spec"],
  acting: Acting,
): ConfigPlan {
  const wanted = new Set(objects.map(keyOf));
  const own = [...world.known].filter(
    ([, { object }]) => object.metadata.managedBy?.configSource === acting.source,
  );
  const gone = own
    .filter(([key, { object }]) => !wanted.has(key) && object.metadata.deletedAt === undefined)
    .map(([, known]) => known)
    .toSorted((one, other) => inKindOrder(other, one));
  const counts = {
    going: gone.length,
    total: own.length,
    wanted: objects.length === 0 && spec.allowEmpty ? 1 : objects.length,
  };
  const { pruneLimit } = spec;
  const isPruneApproved = spec.approved?.commit === commit;
  const isHeld = spec.prune && heldPrune(counts, { pruneLimit, isPruneApproved }) !== undefined;
  const deletes = spec.prune && !isHeld ? gone : [];
  return {
    writes: objects,
    deletes,
    releases: spec.prune ? [] : gone,
    held: isHeld ? gone : [],
    total: own.length,
    problems: [
      ...objects.flatMap((object) => writeProblems(object, world.known.get(keyOf(object))?.object, acting)),
      ...deletes.flatMap(({ kind, object }) => deleteProblem(kind, object, acting) ?? []),
      ...cycleProblems(objects, world, new Set(deletes.map(({ object }) => object.metadata.name))),
    ],
  };
}

/** Instances that would wait for themselves once all files are applied. */
function cycleProblems(
  objects: readonly ConfigObject[],
  { instances }: ConfigWorld,
  deleted: ReadonlySet<string>,
): ConfigProblem[] {
  const written = objects.filter(({ kind }) => kind.kind === "WorkloadInstance");
  const names = new Set(written.map(({ desired }) => desired.metadata.name));
  const result = [
    ...instances.filter(({ metadata: { name } }) => !names.has(name) && !deleted.has(name)),
    ...written.map(({ desired: { metadata, spec } }) => ({ metadata, spec: { dependsOn: dependsOn(spec) } })),
  ];
  return written.flatMap(({ desired, place }) => {
    const { name } = desired.metadata;
    const cycle = dependencyCycle(name, dependenciesOf(desired.spec), result);
    if (cycle === undefined) return [];
    const message = `must not lead back to the instance itself: ${cycle.join(" → ")}`;
    const object = `WorkloadInstance ${name}`;
    return [{ reason: "InvalidObjects", ...place, object, path: "spec.dependsOn", message }];
  });
}

/** Names of the instances that one depends on. */
export function dependenciesOf(spec: object): string[] {
  return dependsOn(spec).map(({ instance }) => instance);
}

function dependsOn(spec: object): readonly { readonly instance: string }[] {
  const { dependsOn: named = [] }: Partial<WorkloadInstance["spec"]> = spec;
  return named;
}
