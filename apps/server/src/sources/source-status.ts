import { randomBytes } from "node:crypto";

import type { Condition, GitSource, SeenSource } from "@bowline/api";
import { BowlineError, parseDurationMs, type ErrorCode } from "@bowline/core";
import { findCondition, setCondition } from "@bowline/runtime";

/** What the status of every object has that comes from git. */
export interface SourceStatus {
  readonly conditions: Condition[];
  readonly source?: SeenSource;
}

/** What can be wrong with a source. Anything else is a failure of our own, and tried again as such. */
const sourceFailures: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "AuthFailed",
  "CertificateExpired",
  "CertificateUntrusted",
  "CommitNotFound",
  "CredentialRefused",
  "HostKeyMismatch",
  "HostKeyUnknown",
  "InvalidArgument",
  "MissingProgram",
  "NotDescendant",
  "NotGit",
  "NotVerified",
  "PathNotFound",
  "ProcessFailed",
  "Redirected",
  "RefAmbiguous",
  "RefNotFound",
  "RenderFailed",
  "RendererMissing",
  "RendererTooOld",
  "RepositoryNotFound",
  "ResponseInvalid",
  "ServerError",
  "Timeout",
  "TooLarge",
  "TooManyRequests",
  "Unreachable",
  "UnreadableFile",
  "UnsafePath",
]);

export function sourceFailure(thrown: unknown, signal: AbortSignal): BowlineError | undefined {
  if (signal.aborted || !(thrown instanceof BowlineError)) return undefined;
  return sourceFailures.has(thrown.code) ? thrown : undefined;
}

const longestDelayMs = 3_600_000;

/** The longer something has failed, the less often it is tried; without a note of its own, as conditions have the time. */
export function retryDelayMs(
  { interval }: Pick<GitSource, "interval">,
  { conditions }: Pick<SourceStatus, "conditions">,
  { details }: Pick<BowlineError, "details">,
  nowMs: number,
): number {
  const condition = findCondition(conditions, "UpToDate");
  const sinceMs = condition?.status === "False" ? nowMs - Date.parse(condition.lastTransitionTime) : 0;
  const asked = details?.["retryAfterMs"];
  const intervalMs = parseDurationMs(interval) ?? 60_000;
  return Math.min(longestDelayMs, Math.max(intervalMs, sinceMs / 2, typeof asked === "number" ? asked : 0));
}

/** Whether a commit was dealt with already, under the settings that there are now. */
export function isUpToDate({ conditions }: Pick<SourceStatus, "conditions">, generation: number): boolean {
  return ["Ready", "UpToDate"].every((type) => {
    const condition = findCondition(conditions, type);
    return condition?.status === "True" && condition.observedGeneration === generation;
  });
}

export interface FailedSource<S extends SourceStatus> {
  readonly generation: number;
  readonly git: GitSource;
  /** Hash of what the spec says now of the content. */
  readonly inputs: string | undefined;
  /** Whether what was taken last must not be used any more, though the spec still asks for it. */
  readonly isRefused?: (status: S) => boolean;
  /** The reason of Ready while what was taken last can be used. */
  readonly usable: string;
  readonly reason: string;
  readonly message: string;
  /** Undefined when it is not known what the ref has. */
  readonly commit?: string | undefined;
  /** What stays meanwhile, as a sentence. */
  readonly kept: (status: S) => string;
  readonly nowMs: number;
  /** The status that there was when the look began. */
  readonly before: Pick<SourceStatus, "source">;
}

/** As long as a message of a condition may be. */
const maxMessageLength = 4_096;

/** The status of a source that could not be read or used; what it has brought before is still good. */
export function failedStatus<S extends SourceStatus>(failed: FailedSource<S>): (status: S) => S {
  const { generation, git, reason, message, commit, nowMs, before } = failed;
  const hookOf = hookFor(git);
  return (status) => {
    const isUsable = isFromSpec(status, failed) && failed.isRefused?.(status) !== true;
    const kept = isUsable ? ` ${failed.kept(status)}` : "";
    const told = `${message.slice(0, maxMessageLength - kept.length).toWellFormed()}${kept}`;
    const isFalse = { status: "False", reason, observedGeneration: generation } as const;
    const upToDate = setCondition(status.conditions, { ...isFalse, type: "UpToDate", message: told }, nowMs);
    const ready = isUsable
      ? ({ ...isFalse, type: "Ready", status: "True", reason: failed.usable, message: "" } as const)
      : { ...isFalse, type: "Ready", message: told };
    const { commit: _, webhook: __, ...source } = status.source ?? {};
    return {
      ...status,
      source: {
        ...source,
        ...answerOf(before),
        ...(commit === undefined ? {} : { commit }),
        ...hookOf(status),
      },
      conditions: [...setCondition(upToDate, ready, nowMs)],
    };
  };
}

/**
 * Whether the spec asks for the very content that was taken last. What it said before is nothing that whoever wrote it
 * now has agreed to.
 */
function isFromSpec(
  { conditions, source }: SourceStatus,
  { inputs, generation }: Pick<FailedSource<SourceStatus>, "inputs" | "generation">,
): boolean {
  if (source?.inputs !== undefined) return source.inputs === inputs;
  // Written by a version that did not write down what the content was made from.
  const known = findCondition(conditions, "Ready");
  return known?.status === "True" && known.observedGeneration === generation;
}

/** The request that there was when the look began is what it answers. */
export function answerOf({ source }: Pick<SourceStatus, "source">): { readonly answeredAt?: string } {
  const answeredAt = source?.requestedAt;
  return answeredAt === undefined ? {} : { answeredAt };
}

/** Nothing is new, and whoever asked is told so. */
export function answered<S extends SourceStatus>(
  before: Pick<SourceStatus, "source">,
  inputs: string | undefined,
): (status: S) => S {
  return (status) =>
    status.source === undefined
      ? status
      : { ...status, source: { ...status.source, ...inputsIn(inputs), ...answerOf(before) } };
}

/** The part of the status that has them. */
export function inputsIn(inputs: string | undefined): Pick<SeenSource, "inputs"> {
  return inputs === undefined ? {} : { inputs };
}

/** Nobody can guess the address of a webhook, and it stays the same. */
export function hookFor({
  webhook,
}: GitSource): (status: Pick<SourceStatus, "source">) => { readonly webhook?: string } {
  if (webhook === undefined) return () => ({});
  const fresh = randomBytes(16).toString("hex");
  return ({ source }) => ({ webhook: source?.webhook ?? fresh });
}

/** Why nothing is taken from a source that is paused. */
export function pausedMessage(what: string, { reason }: { readonly reason?: string }): string {
  return `No new ${what} while spec.paused is there${reason === undefined ? "" : `: ${reason}`}.`;
}
