export { factFields } from "./facts/fact-fields.ts";
export { healthFacts } from "./facts/health-facts.ts";
/** @public The reports of agents about workloads are to carry them. */
export type { HealthFacts } from "./facts/health-facts.ts";
export { judge } from "./judge.ts";
export { judgeTree, type JudgedObject } from "./judge-tree.ts";
export { judgedAgainMs, relapseOf } from "./rules/crashes.ts";
export { runEnd } from "./rules/run-end.ts";
export { healths, rollUp, type Health, type Verdict } from "./verdict.ts";
