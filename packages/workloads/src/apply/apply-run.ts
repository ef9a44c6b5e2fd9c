import { BowlineError, inParallel } from "@bowline/core";
import type { InventoryItem } from "@bowline/store";

import type { EngineContext } from "../cluster/engine-context.ts";
import { Reach } from "../cluster/reach.ts";
import { until } from "../cluster/until.ts";
import type { RenderedObject } from "../render/render-workload.ts";
import type { Workload } from "../workload.ts";
import { AppliedRows } from "./applied-rows.ts";
import { ObjectApplier, type ApplyOutcome } from "./apply-object.ts";
import { waitUntilReady } from "./readiness.ts";

/** An object with its row. */
interface Claimed {
  readonly rendered: RenderedObject;
  readonly item: InventoryItem;
}

/** An object that was claimed. */
export interface ClaimedObject extends Claimed {
  /** To be sent although the inventory says that it is there. */
  readonly isDoubted: boolean;
  /** Nothing was ever sent for it before this run. */
  readonly isNew: boolean;
}

export interface AppliedObjectOutcome {
  readonly claimed: ClaimedObject;
  readonly outcome: ApplyOutcome;
}

/** How long objects of a new kind wait for all parts of the server to know it. */
const newKindLimitMs = 10_000;

/** Sends objects, and writes down what the cluster has answered. What fails stops nothing but what needs it. */
export class ApplyRun {
  readonly outcomes: AppliedObjectOutcome[] = [];
  readonly #context: EngineContext;
  readonly #applier: ObjectApplier;
  readonly #rows: AppliedRows;
  /** Definitions that were sent and are not in use: nothing of their kind can be sent. */
  readonly #unusable = new Map<string, ApplyOutcome>();
  readonly #reach = new Reach();

  constructor(context: EngineContext, workload: Workload) {
    this.#context = context;
    this.#applier = new ObjectApplier(context, workload.policy);
    this.#rows = new AppliedRows(context, workload.revision);
  }

  /** One after the other in their order, some at a time. */
  async send(objects: readonly ClaimedObject[]): Promise<void> {
    try {
      await inParallel(objects, async (claimed) => {
        const outcome = await this.#applyOne(claimed);
        if (outcome.outcome === "applied") this.#rows.add(claimed.rendered, outcome.answer);
        else if (claimed.rendered.kind === "CustomResourceDefinition") {
          this.#unusable.set(claimed.rendered.name, outcome);
        }
        this.outcomes.push({ claimed, outcome });
      });
    } finally {
      // Also when the run ends here: what is in the cluster should be in the database.
      await this.#rows.written();
    }
  }

  async #applyOne({ rendered, item }: Claimed): Promise<ApplyOutcome> {
    const { signal } = this.#context;
    signal.throwIfAborted();
    const { down } = this.#reach;
    if (down !== undefined) return unavailable(down);
    const needed = this.#unusable.get(rendered.kindInCluster.definition ?? "");
    if (needed !== undefined) return waitsFor(rendered, needed);
    const outcome = await this.#attempt({ rendered, item });
    if (outcome.outcome === "waiting") this.#reach.failed(outcome.error);
    else this.#reach.answered();
    if (outcome.outcome !== "applied") return outcome;
    return (await this.#readiness(rendered, outcome)) ?? outcome;
  }

  /** A definition is in use before every part of the server knows its kind. */
  async #attempt({ rendered, item }: Claimed): Promise<ApplyOutcome> {
    // Of one that is doubted, exactly this was applied before.
    const options = { uid: item.uid, wereOurs: item.state === "applied" };
    const apply = (): Promise<ApplyOutcome> => this.#applier.apply(rendered, options);
    const first = await apply();
    const isNew = rendered.kindInCluster.definition !== undefined;
    if (!isNew || !isUnknownKind(first)) return first;
    let last = first;
    await until(this.#context, newKindLimitMs, async () => {
      last = await apply();
      return isUnknownKind(last) ? undefined : true;
    });
    return last;
  }

  async #readiness(
    rendered: RenderedObject,
    { answer }: ApplyOutcome & { readonly outcome: "applied" },
  ): Promise<ApplyOutcome | undefined> {
    try {
      const problem = await waitUntilReady(this.#context, rendered, answer);
      if (rendered.kind === "CustomResourceDefinition") this.#context.discovery.invalidate();
      if (problem === undefined) return undefined;
      return { outcome: "waiting", problem, error: new BowlineError("ReconcileWaiting", problem.message) };
    } catch (error) {
      this.#context.signal.throwIfAborted();
      return unavailable(BowlineError.from(error));
    }
  }
}

function isUnknownKind(outcome: ApplyOutcome): boolean {
  return outcome.outcome === "failed" && outcome.problem.reason === "UnknownKind";
}

function unavailable(error: BowlineError): ApplyOutcome {
  return { outcome: "waiting", problem: { reason: "Unavailable", message: error.message }, error };
}

function waitsFor({ kind, kindInCluster }: RenderedObject, needed: ApplyOutcome): ApplyOutcome {
  const message = `A ${kind} needs the definition ${kindInCluster.definition ?? ""}, which is not in use yet.`;
  const problem = { reason: "NotEstablished", message } as const;
  if (needed.outcome === "failed") return { outcome: "failed", problem };
  const error = needed.outcome === "waiting" ? needed.error : new BowlineError("ReconcileWaiting", message);
  return { outcome: "waiting", problem, error };
}
