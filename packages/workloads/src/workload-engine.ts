import { objectText, type ClusterObject, type InventoryItem } from "@bowline/store";

import { applyWorkload } from "./apply/apply-workload.ts";
import { runDeleteHooks } from "./apply/run-delete-hooks.ts";
import { claimObjects } from "./claim-objects.ts";
import { correctObject } from "./correct/correct-object.ts";
import { diffWorkload } from "./diff/diff-workload.ts";
import { listItems, type EngineContext, type EngineOptions } from "./cluster/engine-context.ts";
import type {
  CorrectResult,
  DiffResult,
  HeldPrune,
  HookResult,
  ObjectResult,
  ReconcileResult,
  RemoveResult,
} from "./object-result.ts";
import type { ReportedObject } from "./order/gate.ts";
import { pruneObjects, type PruneResult } from "./prune/prune-objects.ts";
import { heldPrune } from "./prune/prune-guard.ts";
import { itemResult } from "./prune/prune-result.ts";
import { tidyHooks } from "./prune/tidy-hooks.ts";
import { KindTable } from "./render/kind-table.ts";
import { renderWorkload, type RenderedObject } from "./render/render-workload.ts";
import { mayAdopt } from "./render/settings.ts";
import { refusedResult, sorted, unreadableResult } from "./results.ts";
import type { Workload } from "./workload.ts";

/** Reads how the objects do that are in the cluster, by `objectText`. */
export type ReadReports = () => Promise<ReadonlyMap<string, ReportedObject>>;

export interface RunOptions {
  readonly signal: AbortSignal;
}

export interface RemoveOptions extends RunOptions {
  /**
   * How long runs before have waited for the objects that are still being deleted: what is to go after them is held back
   * for a while, and not for ever.
   */
  readonly waitedMs?: number | undefined;
}

export interface ReconcileOptions extends RemoveOptions {
  /** Objects that somebody has changed: sent again although the inventory says that they are there. */
  readonly drifted?: readonly ClusterObject[] | undefined;
  /** Every object is sent again, whatever the inventory says: the safety pass. It sets drift right. */
  readonly verify?: boolean | undefined;
  /** Asked where anything has to wait for others. Without it, such objects wait. */
  readonly reported?: ReadReports | undefined;
}

export interface HookOptions extends RunOptions {
  readonly reported: ReadReports;
}

/** One instance in one cluster. Holds nothing between calls. */
export class WorkloadEngine {
  readonly #options: EngineOptions;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /**
   * Brings the objects of a revision into the cluster, and deletes those that are not in it any more. What fails for one
   * object is told for that one, and the others proceed. Rejects with the signal's reason, with `LeaseLost`, and with
   * errors of the database and of discovery.
   */
  async reconcile(workload: Workload, options: ReconcileOptions): Promise<ReconcileResult> {
    const context: EngineContext = { ...this.#options, signal: options.signal };
    const { verify = false, reported = async () => new Map() } = options;
    const rendered = await renderWorkload(workload, context);
    const before = await listItems(context);
    const known = new Set(before.map(objectText));
    const inOrder = rendered.objects.filter(({ hook }) => hook !== "delete");
    const isOrdered = inOrder.some(({ hook, wave }) => hook !== undefined || wave !== 0);
    // Of hooks only those that were claimed before: the others are when it is their turn.
    const isDue = (object: RenderedObject): boolean =>
      object.hook === undefined || known.has(objectText(object));
    const { claimed, refused } = await claimObjects(context, inOrder.filter(isDue), workload.revision);
    const drifted = new Set((options.drifted ?? []).map(objectText));
    const doubted = claimed.map((one) => ({
      ...one,
      isDoubted: one.rendered.hook === undefined && (verify || drifted.has(objectText(one.rendered))),
      // One that was adopted has been another instance's.
      isNew: !known.has(objectText(one.rendered)) && !mayAdopt(one.rendered.object),
    }));
    const unusable = [
      ...rendered.refused.map(refusedResult),
      ...rendered.unreadable.map(unreadableResult),
      ...refused.map(refusedResult),
    ];
    const applied = await applyWorkload(context, workload, {
      claimed: doubted,
      hooks: inOrder.filter((object) => !isDue(object)),
      reported: isOrdered ? await reported() : new Map(),
      refused: unusable.map(({ kind, name }) => `${kind} ${name}`),
      isOrderKnown: rendered.isOrderKnown,
    });
    const objects = [...unusable, ...applied.results];
    const isApplied = objects.every(({ state }) => state === "applied");
    const wanted = new Set(inOrder.map(objectText));
    const rest = before.filter((item) => !wanted.has(objectText(item)));
    const counts = {
      wanted: claimed.filter(({ item }) => item.hook === undefined).length,
      total: before.filter(({ hook }) => hook === undefined).length,
    };
    const others = rest.filter(({ hook }) => hook === undefined);
    const { waitedMs } = options;
    const pruned = await this.#prune(context, workload, { isApplied, rest: others, ...counts, waitedMs });
    const oldHooks = rest.filter(({ hook }) => hook !== undefined);
    const runs = claimed.map(({ item }) => item).filter(({ hook }) => hook !== undefined);
    const tidied = await tidyHooks(context, { old: oldHooks, current: runs, isApplied, waitedMs });
    const errors = [
      ...rendered.unreadable.map(({ error }) => error),
      ...applied.retries,
      ...pruned.retries,
      ...tidied.retries,
    ];
    const goes = new Set(["pruned", "released", "kept"]);
    return {
      objects: sorted([...objects, ...pruned.results, ...tidied.results]),
      isApplied,
      isPruned:
        pruned.results.every(({ state }) => goes.has(state)) &&
        tidied.results.every(({ state }) => state !== "deleting"),
      held: pruned.held,
      retry: errors[0],
    };
  }

  /**
   * Takes the instance out of the cluster: its objects are deleted, without the guard; or retained, where they stay without
   * our label and our ownership of fields. Objects that a prune would keep are retained also when the others are deleted.
   */
  async remove(policy: "delete" | "retain", { signal, waitedMs }: RemoveOptions): Promise<RemoveResult> {
    const context: EngineContext = { ...this.#options, signal };
    const kinds = new KindTable(context.discovery, []);
    const items = await listItems(context);
    const how = { releasesRest: true, retains: policy === "retain", waitedMs };
    const prune = async (going: readonly InventoryItem[]): Promise<RemoveResult> => {
      const { results, retries } = await pruneObjects(context, kinds, going, how);
      const isGone = results.every(({ state }) => state === "pruned" || state === "released");
      return { objects: sorted(results), isGone, retry: retries[0] };
    };
    // Rows of hooks for the deletion stay to the end: without them, such a hook would run again.
    const others = await prune(items.filter(({ hook }) => hook !== "delete"));
    if (!others.isGone) return others;
    const hooks = await prune(items.filter(({ hook }) => hook === "delete"));
    return { ...hooks, objects: sorted([...others.objects, ...hooks.objects]) };
  }

  /** Runs the hooks of a workload that is to be removed; done when all of them have succeeded, or there are none. */
  async runDeleteHooks(workload: Workload, options: HookOptions): Promise<HookResult> {
    return runDeleteHooks({ ...this.#options, signal: options.signal }, workload, options.reported);
  }

  /** Sets one object right that somebody has changed, as long as the revision that was applied is this one. */
  correct(workload: Workload, object: ClusterObject, { signal }: RunOptions): Promise<CorrectResult> {
    return correctObject({ ...this.#options, signal }, workload, object);
  }

  /** What a reconcile would do, by dry runs in the cluster. Nothing is written anywhere. */
  diff(workload: Workload, { signal }: RunOptions): Promise<DiffResult> {
    return diffWorkload({ ...this.#options, signal }, workload);
  }

  async #prune(
    context: EngineContext,
    { policy }: Workload,
    { isApplied, wanted, total, rest, waitedMs }: PruneInput,
  ): Promise<PruneResult> {
    const { inventory, key, fence } = context;
    if (!isApplied) return { results: rest.map(waitingResult), retries: [] };
    if (!policy.prune) {
      if (rest.length > 0) await inventory.kept(key, rest, { fence });
      return { results: rest.map((item) => itemResult(item, "kept", pruneIsOff)), retries: [] };
    }
    const kinds = new KindTable(context.discovery, []);
    const guard = (going: number): HeldPrune | undefined => heldPrune({ going, total, wanted }, policy);
    return pruneObjects(context, kinds, rest, { guard, waitedMs });
  }
}

interface PruneInput {
  readonly isApplied: boolean;
  /** How many objects of the revision are in the cluster. */
  readonly wanted: number;
  /** How many objects the instance had in the cluster before. */
  readonly total: number;
  /** Those that are not in the revision. */
  readonly rest: readonly InventoryItem[];
  readonly waitedMs: number | undefined;
}

const waits = { reason: "PruneWaits", message: "It is deleted once everything else is applied." } as const;
const pruneIsOff = {
  reason: "PruneDisabled",
  message: "It is not in the revision any more, and stays, because prune is off.",
} as const;

/** What was kept before stays so. */
function waitingResult(item: InventoryItem): ObjectResult {
  return item.state === "kept" ? itemResult(item, "kept") : itemResult(item, "held", waits);
}
