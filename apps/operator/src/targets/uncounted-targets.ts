import type { AgentTargets } from "../reconcile/agent-reconciler.ts";
import type { TargetReports } from "../status/agent-statuses.ts";
import { notCounting } from "./target-report.ts";

/** Stands in where targets are not to be counted. */
export const uncountedTargets: AgentTargets & TargetReports = {
  state: () => {},
  forget: () => {},
  reportOf: () => notCounting,
  markTold: () => {},
};
