import type { ReconcileResult, Workload } from "@bowline/workloads";

import type { Drift } from "./corrections.ts";
import { placementConditions } from "./placement-conditions.ts";
import {
  appliedStatement,
  contestedStatement,
  resourcesAfter,
  resourceText,
  type PlacementStatus,
} from "./placement-status.ts";
import type { Work } from "./placement-work.ts";
import type { Statement } from "./resolve-workload.ts";

interface RunResult {
  readonly workload: Workload;
  readonly inputs: string;
  readonly result: ReconcileResult;
  readonly drift: Drift;
  /** What is to be told instead of that everything is applied. */
  readonly lost: Statement | undefined;
}

export async function writeResult(
  work: Work,
  { workload, inputs, result, drift, lost }: RunResult,
): Promise<PlacementStatus> {
  const { revision } = workload;
  const isWhole = result.isApplied && result.isPruned && result.retry === undefined;
  return writeStatus(work, (status) => ({
    ...status,
    ...(result.isApplied ? { revision } : {}),
    ...(isWhole ? { applied: inputs } : {}),
    ...resourcesAfter(status.resources, result.objects),
    ...conditionsOf(work, status, {
      Applied: lost ?? contestedStatement(drift) ?? appliedStatement({ ...result, ...work.placement.spec }),
    }),
  }));
}

/** Fights are told; nothing else is new. */
export async function writeDrift(work: Work, drift: Drift): Promise<PlacementStatus> {
  const contested = contestedStatement(drift);
  if (contested === undefined) return work.placement.status;
  return writeStatus(work, (status) => ({
    ...status,
    resources: status.resources.map((resource) =>
      drift.contested.has(resourceText(resource)) ? { ...resource, state: "contested" as const } : resource,
    ),
    ...conditionsOf(work, status, { Applied: contested }),
  }));
}

export function conditionsOf(
  { placement, task }: Work,
  { conditions }: PlacementStatus,
  statements: Parameters<typeof placementConditions>[1],
): Pick<PlacementStatus, "conditions"> {
  const { generation } = placement.metadata;
  return { conditions: placementConditions(conditions, statements, { generation, nowMs: task.nowMs() }) };
}

/** Resolves to the status as it was written last. */
export async function writeStatus(
  { task, placement }: Work,
  change: (status: PlacementStatus) => PlacementStatus,
): Promise<PlacementStatus> {
  let written = placement.status;
  await task.updateStatus((status) => {
    written = change(status);
    return written;
  });
  return written;
}
