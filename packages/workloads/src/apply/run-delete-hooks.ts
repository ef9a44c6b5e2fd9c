import { objectText } from "@bowline/store";

import { claimObjects } from "../claim-objects.ts";
import { listItems, type EngineContext } from "../cluster/engine-context.ts";
import type { HookResult, ObjectProblem, ObjectResult } from "../object-result.ts";
import type { ReportedObject } from "../order/gate.ts";
import { inWaves } from "../order/steps.ts";
import { renderWorkload } from "../render/render-workload.ts";
import { doneResult, sorted } from "../results.ts";
import type { Workload } from "../workload.ts";
import { ApplyRun } from "./apply-run.ts";
import { HookRun } from "./hook-run.ts";

/**
 * Runs the hooks that come before a deletion, wave by wave. Like all others they are claimed before they are made, and are
 * made once; the other objects stay as they are.
 */
export async function runDeleteHooks(
  context: EngineContext,
  workload: Workload,
  readReports: () => Promise<ReadonlyMap<string, ReportedObject>>,
): Promise<HookResult> {
  const { objects } = await renderWorkload(workload, context);
  const hooks = objects.filter(({ hook }) => hook === "delete");
  if (hooks.length === 0) return { objects: [], isDone: true };
  const reported = await readReports();
  const items = await listItems(context);
  const known = new Set(items.map(objectText));
  const { claimed } = await claimObjects(
    context,
    hooks.filter((hook) => known.has(objectText(hook))),
    workload.revision,
  );
  const rows = new Map(claimed.map((one) => [objectText(one.rendered), one]));
  const run = new ApplyRun(context, workload);
  const hookRun = new HookRun(context, workload, { run, reported });
  const results: ObjectResult[] = [];
  let gate: ObjectProblem | undefined;
  for (const { items: inWave } of inWaves(hooks, (hook) => hook)) {
    const step = inWave.map((rendered) => {
      const one = rows.get(objectText(rendered));
      return { rendered, claimed: one && { ...one, isDoubted: false, isNew: false } };
    });
    results.push(...(await hookRun.advance(step, gate)));
    if (!inWave.every((hook) => hookRun.hasSucceeded(hook))) gate = waits;
  }
  const told = new Set(results.map(objectText));
  const madeAtMs = items.flatMap(({ hook, appliedAtMs }) => (hook === "delete" ? (appliedAtMs ?? []) : []));
  const others = items.filter((item) => !told.has(objectText(item)));
  const retry = run.outcomes.flatMap(({ outcome }) =>
    outcome.outcome === "waiting" ? [outcome.error] : [],
  )[0];
  return {
    objects: sorted([...results, ...others.map(doneResult)]),
    isDone: hooks.every((hook) => hookRun.hasSucceeded(hook)),
    ...(madeAtMs.length === 0 ? {} : { startedAtMs: Math.min(...madeAtMs) }),
    retry,
  };
}

const waits: ObjectProblem = {
  reason: "WaitingForHook",
  message: "It runs once the hooks before it have succeeded.",
};
