export {
  HealthListener,
  metricsAnswer,
  probeAnswer,
  type HealthAnswer,
  type HealthListenerOptions,
} from "./health/health-listener.ts";
export { Health, type HealthCheck } from "./health/health.ts";
export { attachProcessSignals, signalExitCodes, type StopSignal } from "./process-signals.ts";
export {
  startProgram,
  type ProgramOptions,
  type ProgramPlan,
  type ProgramShell,
  type RunningProgram,
} from "./start-program.ts";
export { keepYoungGenerationSmall, type HeapTuning } from "./v8-flags.ts";
