export { loadOperatorConfig, type OperatorConfig } from "./config/operator-config.ts";
export type { RunningOperator } from "./run/running-operator.ts";
export { startOperator } from "./run/start-operator.ts";
