import {
  done,
  parseObjectKey,
  requeueAfter,
  type ReconcileContext,
  type Reconciler,
  type ReconcileRequest,
  type ReconcileResult,
} from "@bowline/runtime";

import type { InstanceReports } from "../status/instance-reports.ts";
import type { ExpectedTargets } from "../targets/expected-targets.ts";
import { instanceTargets } from "../targets/target-report.ts";
import type { AgentStatuses } from "./agent-statuses.ts";

interface TargetReconcilerOptions {
  readonly targets: ExpectedTargets;
  readonly statuses: AgentStatuses;
  readonly reports: InstanceReports;
  readonly recountMs: number;
}

/** Nobody tells when reading is refused, or when it ends well after a long time. */
const longestReadingMs = 1_000;
/** Rights that are taken away show by nothing but silence. */
const lookAgainMs = 300_000;

/** Brings the number of targets in the status of an agent up to date, and nothing else. */
export class TargetReconciler implements Reconciler {
  readonly #options: TargetReconcilerOptions;

  constructor(options: TargetReconcilerOptions) {
    this.#options = options;
  }

  async reconcile({ key }: ReconcileRequest, { signal }: ReconcileContext): Promise<ReconcileResult> {
    const { targets, statuses, reports, recountMs } = this.#options;
    const recount = targets.recount(key);
    if (recount === "forgotten") return done;
    if (recount === "reading") return requeueAfter(Math.min(recountMs, longestReadingMs));
    if (recount === "changed") await statuses.writeTargets(parseObjectKey(key), signal);
    const report = targets.reportOf(key);
    reports.retarget(key, (instance) => instanceTargets(report, instance));
    return requeueAfter(lookAgainMs);
  }
}
