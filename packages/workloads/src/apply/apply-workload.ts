import type { BowlineError } from "@bowline/core";
import { objectText } from "@bowline/store";

import type { EngineContext } from "../cluster/engine-context.ts";
import type { ObjectProblem, ObjectResult } from "../object-result.ts";
import { closedGate, type Progress, type ReportedObject } from "../order/gate.ts";
import { applySteps, awaitedBy, type Step } from "../order/steps.ts";
import { itemResult } from "../prune/prune-result.ts";
import type { RenderedObject } from "../render/render-workload.ts";
import { appliedResult, doneResult } from "../results.ts";
import type { Workload } from "../workload.ts";
import { ApplyRun, type AppliedObjectOutcome, type ClaimedObject } from "./apply-run.ts";
import { doubtObjects } from "./doubt-objects.ts";
import { HookRun } from "./hook-run.ts";

/** An object of the revision; a hook is claimed when it is its turn. */
interface Ordered {
  readonly rendered: RenderedObject;
  readonly claimed?: ClaimedObject | undefined;
}

export interface ApplyInput {
  readonly claimed: readonly ClaimedObject[];
  /** Hooks that have not been claimed yet. */
  readonly hooks: readonly RenderedObject[];
  /** By `objectText`. */
  readonly reported: ReadonlyMap<string, ReportedObject>;
  /** Objects of the revision that cannot be applied at all, for people. */
  readonly refused: readonly string[];
  readonly isOrderKnown: boolean;
}

export interface ApplyEnd {
  /** One for each object and each hook. */
  readonly results: readonly ObjectResult[];
  readonly retries: readonly BowlineError[];
}

/**
 * Applies the objects of a revision, step by step. Nothing waits here: what has to wait for reports is told as such, and is
 * the work of a later run. Objects that are there already are set right whatever the others do.
 */
export async function applyWorkload(
  context: EngineContext,
  workload: Workload,
  input: ApplyInput,
): Promise<ApplyEnd> {
  const run = new OrderedRun(context, workload, input);
  const end = await run.apply();
  await forgetRefused(context, workload, run.outcomes);
  return end;
}

class OrderedRun {
  readonly #input: ApplyInput;
  readonly #run: ApplyRun;
  readonly #hooks: HookRun;
  readonly #results: ObjectResult[] = [];
  /** Objects that are in the cluster since this run, of which nothing was told yet. */
  readonly #sent = new Set<string>();
  /** Objects that are not in the cluster as they should be. */
  readonly #missing = new Set<string>();

  constructor(context: EngineContext, workload: Workload, input: ApplyInput) {
    this.#input = input;
    this.#run = new ApplyRun(context, workload);
    this.#hooks = new HookRun(context, workload, { run: this.#run, reported: input.reported });
  }

  get outcomes(): readonly AppliedObjectOutcome[] {
    return this.#run.outcomes;
  }

  async apply(): Promise<ApplyEnd> {
    const { claimed, hooks } = this.#input;
    const all: Ordered[] = [
      ...claimed.map((one) => ({ rendered: one.rendered, claimed: one })),
      ...hooks.map((rendered) => ({ rendered })),
    ];
    const steps = applySteps(all, ({ rendered }) => rendered);
    for (const step of steps) {
      const gate = this.#gateOf(step, steps);
      if (step.phase === "pre" || step.phase === "post") {
        this.#results.push(...(await this.#hooks.advance(step.items, gate)));
      } else {
        await this.#applyStep(step.items, gate);
      }
    }
    const waiting = this.outcomes.flatMap(({ outcome }) =>
      outcome.outcome === "waiting" ? [outcome.error] : [],
    );
    return { results: this.#results, retries: waiting };
  }

  async #applyStep(items: readonly Ordered[], gate: ObjectProblem | undefined): Promise<void> {
    const claimed = items.flatMap((item) => item.claimed ?? []);
    const isNews = ({ item }: ClaimedObject): boolean => item.state !== "applied";
    const gated = claimed.filter((one) => isNews(one) && gate !== undefined);
    const due = claimed.filter((one) => one.isDoubted || (isNews(one) && gate === undefined));
    const before = this.outcomes.length;
    await this.#run.send(due);
    const outcomes = this.outcomes.slice(before);
    const settled = new Set([...due, ...gated]);
    for (const one of gated) this.#missing.add(objectText(one.rendered));
    for (const { claimed: one, outcome } of outcomes) {
      const text = objectText(one.rendered);
      if (outcome.outcome !== "applied") this.#missing.add(text);
      else if (isNews(one)) this.#sent.add(text);
    }
    this.#results.push(
      ...outcomes.map(appliedResult),
      ...gated.map(({ item }) => itemResult(item, "waiting", gate)),
      ...claimed.filter((one) => !settled.has(one)).map(({ item }) => doneResult(item)),
    );
  }

  #gateOf(step: Step<Ordered>, steps: readonly Step<Ordered>[]): ObjectProblem | undefined {
    const { refused, isOrderKnown } = this.#input;
    const awaited = awaitedBy(step, steps);
    const isOrdered = step.phase !== "foundation" && !isOrderKnown;
    const isHook = step.phase === "pre" || step.phase === "post";
    const waits = isHook || awaited.hooks.length > 0 || awaited.healthy.length > 0;
    if (refused.length > 0 && (waits || isOrdered)) {
      const message = `It is applied once everything that may come before it can be: ${refused.slice(0, 3).join(", ")}.`;
      return { reason: "WaitingForHealth", message };
    }
    return closedGate(awaited, this.#progress);
  }

  get #progress(): Progress<Ordered> {
    const { reported } = this.#input;
    const isApplied = ({ rendered }: Ordered): boolean => !this.#missing.has(objectText(rendered));
    return {
      isApplied,
      isHealthy: (object) => {
        const text = objectText(object.rendered);
        return isApplied(object) && !this.#sent.has(text) && reported.get(text)?.isHealthy === true;
      },
      hasSucceeded: ({ rendered }) => this.#hooks.hasSucceeded(rendered),
      labelOf: ({ rendered: { kind, namespace, name } }) =>
        namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`,
    };
  }
}

/**
 * Objects that could not be set right are not taken for applied any more. One that the cluster has refused from the first
 * is not there: with a row, whoever deletes the instance would have to look at it, which takes a right that they may not
 * have either.
 */
async function forgetRefused(
  context: EngineContext,
  { revision }: Workload,
  outcomes: readonly AppliedObjectOutcome[],
): Promise<void> {
  const { inventory, key, fence } = context;
  const failed = outcomes.filter(({ outcome }) => outcome.outcome === "failed");
  const refused = failed.map(({ claimed }) => claimed);
  const known = refused.filter(({ isNew }) => !isNew).map(({ rendered }) => rendered);
  await doubtObjects(context, known, revision);
  const unmade = refused.filter(({ isNew }) => isNew).map(({ item }) => item);
  if (unmade.length > 0) await inventory.gone(key, unmade, { fence });
}
