/** Apart from the rest, because it loads `node:http`, for which no other command has to wait. */
export { HealthListener, metricsAnswer, probeAnswer } from "./health-listener.ts";
export { Health, type HealthCheck } from "./health.ts";
