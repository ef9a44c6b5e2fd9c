export { loadOperatorConfig, type OperatorConfig } from "./config/operator-config.ts";
export { startOperator, type RunningOperator } from "./run/start-operator.ts";
