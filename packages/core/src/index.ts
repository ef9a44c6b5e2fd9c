export {
  hostAndPort,
  isLoopback,
  parseAddress,
  proxyFor,
  withoutCredentials,
  type Address,
  type Environment,
} from "./address.ts";
export {
  Backoff,
  backoffDelayMs,
  fullJitterBackoff,
  watchBackoff,
  type BackoffPolicy,
  type Random,
  type ResettingBackoffPolicy,
} from "./backoff.ts";
export { BowlineError, type BowlineErrorOptions } from "./bowline-error.ts";
export { canonicalJson } from "./canonical-json.ts";
export { systemClock, type Clock } from "./clock.ts";
export { closest, didYouMean } from "./closest.ts";
export { connectionFailure, listenProblem, type ConnectionFailure } from "./connection-failure.ts";
export { LinkedAbortController, withDeadline } from "./deadline.ts";
export { errorCodes, type ErrorCode } from "./error-codes.ts";
export { formatPath, type PathPart } from "./format-path.ts";
export { contentId, createRequestIds, createUuidV7Generator, type RandomBytes } from "./ids.ts";
export { inParallel } from "./in-parallel.ts";
export {
  labelRequirementsOf,
  matchesLabels,
  type LabelRequirement,
  type LabelSelectorObject,
} from "./label-selector.ts";
export { Gate, RateTable, TokenBucket, type Rate } from "./limiters.ts";
export { createLogger, logLevels, textLog, type Logger, type LogLevel } from "./logger.ts";
export { LruMap } from "./lru-map.ts";
export { makeFolder } from "./make-folder.ts";
export { mergePatch } from "./merge-patch.ts";
export { filesInExecutable, ownFile, ownProcess, readOwnFile, type OwnProcess } from "./own-file.ts";
export { allPages } from "./pages.ts";
export { Metrics, type Counter, type Gauge, type Histogram } from "./metrics.ts";
export { redactSecrets, redactText } from "./redact-secrets.ts";
export { serializeError } from "./serialize-error.ts";
export { shortened } from "./shortened.ts";
export { Shutdown } from "./shutdown.ts";
export {
  supervisionProblems,
  type ChildSpec,
  type ChildTransition,
  type SupervisorSnapshot,
} from "./supervision.ts";
export { Supervisor } from "./supervisor.ts";
export { createTar, type TarEntry } from "./tar.ts";
export { TransientSet, type TransientMember } from "./transient-set.ts";
export { durationForm, parseDurationMs, parseQuantity, parseSizeBytes, sizeForm } from "./units.ts";
export { asRecord, codeOf, hasCode, isRecord, type DeepReadonly } from "./unknown-values.ts";
export { wrapText } from "./wrap-text.ts";
export { createFile, replaceFile, writeStream } from "./write-file.ts";
