import { shortened } from "@bowline/core";
import type { FieldOwner, ObjectProblem } from "../object-result.ts";
import type { WorkloadPolicy } from "../workload.ts";

/** Managers through which people set things by hand, or had them set before Bowline. */
const takeable = /^(?:kubectl(?:$|-)|helm$|before-first-apply$)/i;

type TakeoverPolicy = Pick<WorkloadPolicy, "conflicts" | "takeoverFrom">;

/** Whether fields of this manager may become ours without a question. */
export function takesFrom(manager: string, { conflicts, takeoverFrom = [] }: TakeoverPolicy): boolean {
  return conflicts === "takeover" && (takeable.test(manager) || takeoverFrom.includes(manager));
}

/**
 * - `take`: the fields become ours
 * - `leave`: they are not sent
 * - `fail`: they are somebody's who must be asked first
 */
export type ConflictPlan =
  | { readonly action: "take" }
  | { readonly action: "leave"; readonly fields: readonly string[] }
  | { readonly action: "fail"; readonly problem: ObjectProblem };

interface ConflictOptions {
  readonly policy: TakeoverPolicy;
  /** The fields were ours before somebody changed them: setting them right takes them from whoever it was. */
  readonly wereOurs: boolean;
}

export function planConflict(
  conflicts: readonly FieldOwner[],
  { policy, wereOurs }: ConflictOptions,
): ConflictPlan {
  if (policy.conflicts === "leave") return { action: "leave", fields: conflicts.map(({ field }) => field) };
  const others = conflicts.filter(({ manager }) => !takesFrom(manager, policy));
  const mayTake = policy.conflicts === "takeover";
  if (mayTake && (wereOurs || others.length === 0)) return { action: "take" };
  return { action: "fail", problem: conflictProblem(others, mayTake) };
}

const shownFields = 5;
const longestTold = 700;

function conflictProblem(conflicts: readonly FieldOwner[], mayTake: boolean): ObjectProblem {
  const byManager = Map.groupBy(conflicts, ({ manager }) => manager);
  const told = [...byManager].map(([manager, fields]) => {
    const shown = fields.slice(0, shownFields).map(({ field }) => field);
    const more = fields.length - shown.length;
    return `"${manager}" has set ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  });
  const hint = "take them out of the manifest, name them under ignore, or set conflicts to leave";
  const taking = mayTake ? " To take them: name the manager under takeoverFrom." : "";
  return {
    reason: "FieldConflict",
    message: `Fields belong to somebody else: ${shortened(told.join("; "), longestTold)}. To leave them: ${hint}.${taking}`,
    conflicts,
  };
}
