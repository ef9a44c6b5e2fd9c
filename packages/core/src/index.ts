export {
  Backoff,
  backoffDelayMs,
  fullJitterBackoff,
  watchBackoff,
  type BackoffPolicy,
  type ResettingBackoffPolicy,
} from "./backoff.ts";
export { BowlineError, type BowlineErrorOptions } from "./bowline-error.ts";
export type { ChildSpec, ChildTransition, RestartType } from "./child-spec.ts";
export { systemClock, type Clock } from "./clock.ts";
export { closest, didYouMean } from "./closest.ts";
export { withDeadline, type DeadlineOptions } from "./deadline.ts";
export { durationForm, parseDurationMs } from "./duration.ts";
export { errorCodes, type ErrorCode, type ErrorCodeInfo } from "./error-codes.ts";
export { Gate } from "./gate.ts";
export { codeOf, hasCode } from "./has-code.ts";
export { asRecord, isRecord } from "./is-record.ts";
export {
  labelRequirementsOf,
  matchesLabels,
  type LabelRequirement,
  type LabelSelectorObject,
} from "./label-selector.ts";
export { LinkedAbortController } from "./linked-abort-controller.ts";
export {
  createLogger,
  logLevels,
  textLog,
  type Logger,
  type LoggerOptions,
  type LogLevel,
} from "./logger.ts";
export { makeFolder } from "./make-folder.ts";
export {
  Metrics,
  type BuildInfo,
  type Counter,
  type Gauge,
  type GaugeOptions,
  type Histogram,
  type HistogramOptions,
  type MetricOptions,
} from "./metrics.ts";
export {
  hostAndPort,
  isLoopback,
  parseAddress,
  withoutCredentials,
  type Address,
} from "./network/address.ts";
export { connectionFailure, listenProblem, type ConnectionFailure } from "./network/connection-failure.ts";
export { proxyFor, type Environment } from "./network/proxy-for.ts";
export { parseQuantity, parseSizeBytes, sizeForm } from "./quantity.ts";
export type { Random, RandomBytes } from "./random.ts";
export { RateTable } from "./rate-table.ts";
export { redactSecrets, redactText, secretNames } from "./redact-secrets.ts";
export { createRequestIds } from "./request-ids.ts";
export type { RestartIntensityOptions } from "./restart-intensity.ts";
export { serializeError, type SerializedError } from "./serialize-error.ts";
export { Shutdown, type ShutdownOptions, type ShutdownStep, type ShutdownStepOptions } from "./shutdown.ts";
export {
  supervisionProblems,
  type ChildSnapshot,
  type ChildState,
  type SupervisorSnapshot,
  type SupervisorState,
} from "./supervisor-snapshot.ts";
export { Supervisor, type SupervisorOptions } from "./supervisor.ts";
export { TokenBucket, type Rate } from "./token-bucket.ts";
export { TransientSet, type TransientMember } from "./transient-set.ts";
export { createUuidV7Generator, isUuidV7 } from "./uuid-v7.ts";
