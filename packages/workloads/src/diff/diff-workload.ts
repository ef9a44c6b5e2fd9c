import { BowlineError, inParallel } from "@bowline/core";
import type { KubeObject, ResourceRef } from "@bowline/kube";
import { objectText, type ClusterObject, type InventoryItem } from "@bowline/store";

import { ObjectApplier } from "../apply/apply-object.ts";
import { classifyFailure } from "../cluster/classify-failure.ts";
import { listItems, type EngineContext } from "../cluster/engine-context.ts";
import { findLive } from "../cluster/live-object.ts";
import { ownedByOther } from "../claim-objects.ts";
import type { DiffResult, ObjectDifference, ObjectProblem } from "../object-result.ts";
import { inspectObject } from "../prune/inspect-object.ts";
import { heldPrune } from "../prune/prune-guard.ts";
import { KindTable } from "../render/kind-table.ts";
import { renderWorkload, type RenderedObject, type RenderedWorkload } from "../render/render-workload.ts";
import { mayAdopt } from "../render/settings.ts";
import { sorted } from "../results.ts";
import type { Workload } from "../workload.ts";
import { shownObjects } from "./shown-object.ts";

/** What a reconcile would do, asked of the cluster itself by dry runs. Nothing is written anywhere. */
export async function diffWorkload(context: EngineContext, workload: Workload): Promise<DiffResult> {
  const run = new DiffRun(context, workload);
  const rendered = await renderWorkload(workload, context);
  for (const { problem, ...object } of rendered.refused) run.refuse(object, problem);
  for (const { error, ...object } of rendered.unreadable) {
    run.refuse(object, { reason: "Unavailable", message: error.message }, error);
  }
  await run.compareAll(rendered);
  const held = await run.compareRest(rendered);
  return { objects: sorted(run.differences), held, retry: run.retries[0] };
}

class DiffRun {
  readonly differences: ObjectDifference[] = [];
  readonly retries: BowlineError[] = [];
  readonly #context: EngineContext;
  readonly #workload: Workload;
  readonly #applier: ObjectApplier;

  constructor(context: EngineContext, workload: Workload) {
    this.#context = context;
    this.#workload = workload;
    this.#applier = new ObjectApplier(context, workload.policy, { isDryRun: true });
  }

  async compareAll({ objects }: RenderedWorkload): Promise<void> {
    const { inventory, key } = this.#context;
    const owned = await inventory.find(key.clusterId, objects);
    const others = owned.filter(({ instanceId }) => instanceId !== key.instanceId);
    const owners = new Map(others.map((item) => [objectText(item), item]));
    const uids = new Map(owned.map((item) => [objectText(item), item.uid]));
    const brought = new Set(objects.filter(({ kind }) => kind === "Namespace").map(({ name }) => name));
    // Hooks that have run do not run again, and those for a deletion do nothing now.
    const compared = objects.filter(
      ({ hook, ...object }) => hook === undefined || (hook !== "delete" && !uids.has(objectText(object))),
    );
    await inParallel(compared, async (rendered) => {
      const owner = owners.get(objectText(rendered));
      if (owner !== undefined && (owner.adopts === true || !mayAdopt(rendered.object))) {
        this.refuse(rendered, ownedByOther(owner));
        return;
      }
      const uid = uids.get(objectText(rendered));
      await this.#compare(rendered, { uid, isNamespaceBrought: brought.has(rendered.namespace) });
    });
  }

  /** A kind or a namespace that the revision itself brings is not there yet: what needs it will be new. */
  async #compare(
    rendered: RenderedObject,
    { uid, isNamespaceBrought }: { readonly uid: string | undefined; readonly isNamespaceBrought: boolean },
  ): Promise<void> {
    const outcome = await this.#applier.apply(rendered, { uid });
    if (outcome.outcome === "applied") {
      await this.#compareLive(rendered, outcome.answer);
      return;
    }
    const { problem } = outcome;
    const isNew =
      (problem.reason === "UnknownKind" && rendered.kindInCluster.definition !== undefined) ||
      (problem.reason === "NamespaceMissing" && isNamespaceBrought);
    if (isNew) this.#tell(rendered, undefined, rendered.object);
    else this.refuse(rendered, problem, outcome.outcome === "waiting" ? outcome.error : undefined);
  }

  /** Whoever may write an object and not read it cannot be told whether it is new, or what would change. */
  async #compareLive(rendered: RenderedObject, answer: KubeObject): Promise<void> {
    try {
      this.#tell(rendered, await findLive(this.#context, rendered), answer);
    } catch (error) {
      this.#context.signal.throwIfAborted();
      this.#refuseFor(rendered, error, rendered.kindInCluster);
    }
  }

  #tell(object: ObjectName, live: KubeObject | undefined, next: KubeObject): void {
    const { before, after, isSame } = shownObjects(live, next);
    const change = live === undefined ? "created" : isSame ? "unchanged" : "changed";
    this.differences.push({ ...nameOf(object), change, before, after });
  }

  refuse(object: ObjectName, problem: ObjectProblem, retry?: BowlineError): void {
    this.differences.push({ ...nameOf(object), change: "refused", ...problem });
    if (retry !== undefined) this.retries.push(retry);
  }

  /** A request for the object has failed. */
  #refuseFor(object: ObjectName, thrown: unknown, known: ResourceRef | undefined): void {
    const error = BowlineError.from(thrown);
    const resource = known ?? { ...object, plural: object.kind, namespaced: object.namespace !== "" };
    const failure = classifyFailure(error, { ...object, resource });
    const problem =
      "problem" in failure ? failure.problem : { reason: "Refused" as const, message: error.message };
    this.refuse(object, problem, failure.kind === "passing" ? error : undefined);
  }

  async compareRest({ objects, refused, unreadable }: RenderedWorkload): Promise<DiffResult["held"]> {
    const { policy } = this.#workload;
    const wanted = new Set([...objects, ...refused, ...unreadable].map(objectText));
    const items = await listItems(this.#context);
    const rest = items.filter((item) => item.hook === undefined && !wanted.has(objectText(item)));
    const kinds = new KindTable(this.#context.discovery, []);
    let going = 0;
    await inParallel(rest, async (item) => {
      const isGoing = await this.#compareItem(kinds, item);
      if (isGoing) going += 1;
    });
    const count = objects.filter(({ hook }) => hook === undefined).length;
    const counts = { going, total: count + rest.length, wanted: count };
    return policy.prune ? heldPrune(counts, policy) : undefined;
  }

  async #compareItem(kinds: KindTable, item: InventoryItem): Promise<boolean> {
    try {
      const seen = await inspectObject(this.#context, kinds, item);
      if (seen.verdict === "gone" || seen.verdict === "release") return false;
      const isGoing = seen.verdict === "delete" && this.#workload.policy.prune;
      const live = isGoing ? await findLive(this.#context, seen.target) : undefined;
      const { before } = shownObjects(live, undefined);
      const told = seen.verdict === "keep" ? seen.problem : {};
      this.differences.push({ ...nameOf(item), change: isGoing ? "pruned" : "kept", before, ...told });
      return isGoing;
    } catch (error) {
      this.#context.signal.throwIfAborted();
      this.#refuseFor(item, error, await kinds.known(item));
      return false;
    }
  }
}

type ObjectName = ClusterObject & { readonly version: string };

function nameOf({ group, version, kind, namespace, name }: ObjectName): ObjectName {
  return { group, version, kind, namespace, name };
}
