import { objectText, type EndedHook, type HookEnd, type InventoryItem } from "@bowline/store";

import { claimObjects } from "../claim-objects.ts";
import type { EngineContext } from "../cluster/engine-context.ts";
import { findLiveMetadata } from "../cluster/live-object.ts";
import type { ObjectProblem, ObjectResult } from "../object-result.ts";
import type { ReportedObject } from "../order/gate.ts";
import { itemResult } from "../prune/prune-result.ts";
import type { RenderedObject } from "../render/render-workload.ts";
import { appliedResult, refusedResult } from "../results.ts";
import type { Workload } from "../workload.ts";
import type { ApplyRun, ClaimedObject } from "./apply-run.ts";

/** A hook, and its row where it has one. */
interface Hook {
  readonly rendered: RenderedObject;
  readonly claimed?: ClaimedObject | undefined;
}

interface HookRunOptions {
  readonly run: ApplyRun;
  readonly reported: ReadonlyMap<string, ReportedObject>;
}

/**
 * Runs hooks: each is made once, and its end is written down when the agent has told it. What becomes of the object
 * afterwards changes nothing, so that one whose time to live is over does not run again.
 */
export class HookRun {
  readonly #context: EngineContext;
  readonly #workload: Workload;
  readonly #options: HookRunOptions;
  readonly #succeeded = new Set<string>();

  constructor(context: EngineContext, workload: Workload, options: HookRunOptions) {
    this.#context = context;
    this.#workload = workload;
    this.#options = options;
  }

  hasSucceeded(hook: RenderedObject): boolean {
    return this.#succeeded.has(objectText(hook));
  }

  /** Makes hooks that are due, and looks how those do that were made before. */
  async advance(hooks: readonly Hook[], gate: ObjectProblem | undefined): Promise<ObjectResult[]> {
    const made = hooks.flatMap(({ claimed }) => (claimed?.item.uid === undefined ? [] : [claimed]));
    const unmade = hooks.filter(({ claimed }) => claimed?.item.uid === undefined);
    const looked = await this.#look(made);
    if (gate !== undefined) return [...looked, ...unmade.map((hook) => gatedResult(hook, gate))];
    return [...looked, ...(await this.#make(unmade))];
  }

  async #make(hooks: readonly Hook[]): Promise<ObjectResult[]> {
    const { run } = this.#options;
    const unclaimed = hooks.filter(({ claimed }) => claimed === undefined).map(({ rendered }) => rendered);
    const { claimed, refused } = await claimObjects(this.#context, unclaimed, this.#workload.revision);
    const before = run.outcomes.length;
    await run.send([
      ...hooks.flatMap((hook) => hook.claimed ?? []),
      ...claimed.map((one) => ({ ...one, isDoubted: false, isNew: true })),
    ]);
    return [...refused.map(refusedResult), ...run.outcomes.slice(before).map(sentResult)];
  }

  async #look(made: readonly ClaimedObject[]): Promise<ObjectResult[]> {
    const { inventory, key, fence } = this.#context;
    const ended: EndedHook[] = [];
    const results: ObjectResult[] = [];
    for (const { item, rendered } of made) {
      const end = item.hookEnd ?? (await this.#endOf(rendered));
      if (end !== undefined && item.hookEnd === undefined) ended.push({ ...item, end });
      if (end === "succeeded") this.#succeeded.add(objectText(item));
      results.push(this.#resultOf(item, end));
    }
    if (ended.length > 0) await inventory.ended(key, ended, { fence });
    return results;
  }

  /** An agent that was not told of a hook yet does not see it either; so one that seems to be gone is looked for. */
  async #endOf(rendered: RenderedObject): Promise<HookEnd | undefined> {
    const reported = this.#options.reported.get(objectText(rendered));
    if (reported?.end !== undefined || reported?.isMissing !== true) return reported?.end;
    return (await findLiveMetadata(this.#context, rendered)) === undefined ? "lost" : undefined;
  }

  #resultOf(item: InventoryItem, end: HookEnd | undefined): ObjectResult {
    if (end === "succeeded") return itemResult(item, "applied");
    if (end === undefined) return itemResult(item, "waiting", running);
    const { kind, namespace, name } = item;
    const { message: said = "" } = this.#options.reported.get(objectText(item)) ?? {};
    if (end === "lost") {
      const message = `It was gone before its end was seen, so nobody knows how it ended. Have it stay for some minutes after its end (ttlSecondsAfterFinished), and deploy a new revision to run it again.`;
      return itemResult(item, "failed", { reason: "HookLost", message });
    }
    const target = kind === "Job" ? `job/${name}` : name;
    const logs = `bowline logs wi/${this.#context.instance} --cluster ${this.#workload.cluster.name}, or kubectl logs -n ${namespace} ${target}`;
    const why = said === "" ? "" : ` ${said}`;
    const message = `The hook has failed, and what comes after it is not applied.${why} Look at its logs: ${logs}. A new revision runs it again; so does a patch of it in spec.overrides of the instance.`;
    return itemResult(item, "failed", { reason: "HookFailed", message });
  }
}

const running = {
  reason: "HookRunning",
  message: "The hook runs; what comes after it waits for its end.",
} as const;

/** One that was made a moment ago has just begun. */
function sentResult(outcome: Parameters<typeof appliedResult>[0]): ObjectResult {
  const result = appliedResult(outcome);
  return result.state === "applied" ? { ...result, state: "waiting", ...running } : result;
}

function gatedResult({ rendered, claimed }: Hook, gate: ObjectProblem): ObjectResult {
  if (claimed !== undefined) return itemResult(claimed.item, "waiting", gate);
  const { group, version, kind, namespace, name } = rendered;
  return { group, version, kind, namespace, name, state: "waiting", isWritten: false, ...gate };
}
