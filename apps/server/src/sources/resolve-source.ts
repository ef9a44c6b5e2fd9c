import { randomBytes } from "node:crypto";

import type { GitSource, StatusOf, WorkloadDefinition } from "@bowline/api";
import { BowlineError, contentId, LruMap, parseDurationMs, type ErrorCode } from "@bowline/core";
import { findCondition, requeueAfter, done, setCondition, type ReconcileResult } from "@bowline/runtime";
import type { Revision, Store } from "@bowline/store";

import type { ObjectTask } from "../controllers/object-task.ts";
import type { GitReader, SourceFiles } from "./git-reader.ts";
import type { SeenRef } from "./shared-refs.ts";
import { renderDigest, type RenderedSource, type SourceRenderer } from "./source-renderer.ts";

export interface SourceResolverOptions {
  readonly reader: GitReader;
  readonly renderer: SourceRenderer;
  readonly store: Pick<Store, "revisions">;
}

type GitDefinition = WorkloadDefinition & { readonly spec: { readonly source: { readonly git: GitSource } } };
type Status = StatusOf<typeof WorkloadDefinition>;
interface GitPreview {
  /** Of the definition. */
  readonly name: string;
  readonly spec: GitDefinition["spec"];
}

export interface Preview {
  readonly commit: string;
  readonly id: string;
  readonly content: string;
}

export type DefinitionTask = Pick<
  ObjectTask<typeof WorkloadDefinition>,
  "nowMs" | "updateStatus" | "recordEvent" | "fence" | "signal"
>;

export function isFromGit<D extends Pick<WorkloadDefinition, "spec">>(
  definition: D,
): definition is D & Pick<GitDefinition, "spec"> {
  return definition.spec.source.git !== undefined;
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

const longestDelayMs = 3_600_000;
/** Each may have 10 MiB. */
const maxPreviews = 4;

/** Makes what a definition's repository has now its revision. What cannot be read or used leaves the last one. */
export class SourceResolver {
  readonly #options: SourceResolverOptions;
  /** A difference is asked for cluster by cluster, each time of the same content. */
  readonly #previews = new LruMap<string, Preview>(maxPreviews);

  constructor(options: SourceResolverOptions) {
    this.#options = options;
  }

  async resolve(definition: GitDefinition, task: DefinitionTask): Promise<ReconcileResult> {
    const { paused } = definition.spec;
    if (paused !== undefined) {
      const message = `No new revision is made while spec.paused is there${paused.reason === undefined ? "" : `: ${paused.reason}`}.`;
      await task.updateStatus(
        failedStatus(definition, { reason: "Suspended", message, nowMs: task.nowMs() }),
      );
      return done;
    }
    let seen: SeenRef | undefined;
    try {
      seen = await this.#options.reader.look(definition.spec.source.git, task.signal);
      await this.#take(definition, seen, task);
      return done;
    } catch (thrown) {
      const failure = sourceFailure(thrown, task.signal);
      if (failure === undefined) throw thrown;
      await this.#tell(definition, { failure, commit: seen?.commit }, task);
      // Whoever looks for commits comes again when the ref can be read; what failed later is tried again from here.
      return seen === undefined ? done : requeueAfter(delayMs(definition, failure, task.nowMs()));
    }
  }

  /**
   * What a definition would be with another ref, without anything being kept. Who signed it and what it follows on does
   * not matter: it is asked for before that is decided.
   */
  async preview(definition: GitPreview, ref: string, signal: AbortSignal): Promise<Preview> {
    const { name, spec } = definition;
    const { verify: _, history: __, ...plain } = spec.source.git;
    const git = { ...plain, ref };
    const seen = await this.#options.reader.look(git, signal);
    const found = await this.#options.reader.read(git, seen, { before: undefined, signal });
    const digest = renderDigest({ ...found, name, spec });
    const known = this.#previews.get(digest);
    if (known !== undefined) return { ...known, commit: seen.commit };
    const { content } = await this.#options.renderer.render({ ...found, name, spec, signal });
    const preview = { id: contentId(content), content, commit: seen.commit };
    this.#previews.set(digest, preview);
    return preview;
  }

  async #take(definition: GitDefinition, seen: SeenRef, task: DefinitionTask): Promise<void> {
    const { metadata, spec, status } = definition;
    if (isCurrent(definition, seen.commit)) {
      await task.updateStatus(answered(definition));
      return;
    }
    const { git } = spec.source;
    const before = status.revision?.commit;
    const found = await this.#options.reader.read(git, seen, { before, signal: task.signal });
    const digest = renderDigest({ ...found, name: metadata.name, spec });
    const rendered =
      (await this.#renderedBefore(definition, digest)) ??
      (await this.#options.renderer.render({ ...found, name: metadata.name, spec, signal: task.signal }));
    const { revisions } = this.#options.store;
    const { content, objects } = rendered;
    const author = status.author?.user;
    const revision = await revisions.put(
      { definitionId: metadata.id, content, objects, commit: found.commit, author },
      { fence: task.fence },
    );
    const resolved = { revision, found, rendered, digest };
    await task.updateStatus(resolvedStatus(definition, resolved, task.nowMs()));
  }

  /** The revision that there is, when it was made from the same. */
  async #renderedBefore(
    { status: { revision, source, resources } }: GitDefinition,
    digest: string,
  ): Promise<RenderedSource | undefined> {
    if (revision === undefined || source?.digest !== digest) return undefined;
    const content = await this.#options.store.revisions.content(revision.id);
    const { renderer, notes = [] } = source;
    return content === undefined ? undefined : { content, objects: resources ?? 0, renderer, notes };
  }

  async #tell(
    definition: GitDefinition,
    { failure, commit }: { readonly failure: BowlineError; readonly commit: string | undefined },
    task: DefinitionTask,
  ): Promise<void> {
    const { code: reason, message } = failure;
    const known = findCondition(definition.status.conditions, "UpToDate");
    await task.updateStatus(failedStatus(definition, { reason, message, commit, nowMs: task.nowMs() }));
    if (known?.reason !== reason) await task.recordEvent({ type: "Warning", reason, message });
  }
}

/** Whether the commit was dealt with already, under the settings that there are now. */
function isCurrent({ metadata, status }: GitDefinition, commit: string): boolean {
  return (
    status.revision?.commit === commit &&
    ["Ready", "UpToDate"].every((type) => {
      const condition = findCondition(status.conditions, type);
      return condition?.status === "True" && condition.observedGeneration === metadata.generation;
    })
  );
}

function sourceFailure(thrown: unknown, signal: AbortSignal): BowlineError | undefined {
  if (signal.aborted || !(thrown instanceof BowlineError)) return undefined;
  return sourceFailures.has(thrown.code) ? thrown : undefined;
}

/** The longer something has failed, the less often it is tried; without a note of its own, as conditions have the time. */
function delayMs({ spec, status }: GitDefinition, { details }: BowlineError, nowMs: number): number {
  const condition = findCondition(status.conditions, "UpToDate");
  const sinceMs = condition?.status === "False" ? nowMs - Date.parse(condition.lastTransitionTime) : 0;
  const asked = details?.["retryAfterMs"];
  const intervalMs = parseDurationMs(spec.source.git.interval) ?? 60_000;
  return Math.min(longestDelayMs, Math.max(intervalMs, sinceMs / 2, typeof asked === "number" ? asked : 0));
}

interface Resolved {
  readonly revision: Revision;
  readonly found: SourceFiles;
  readonly rendered: RenderedSource;
  readonly digest: string;
}

function resolvedStatus(
  { metadata, spec, status: before }: GitDefinition,
  resolved: Resolved,
  nowMs: number,
) {
  const { revision, found, rendered, digest } = resolved;
  const { commit, signer } = found;
  const { renderer, notes } = rendered;
  const isTrue = { status: "True", message: "", observedGeneration: metadata.generation } as const;
  const hookOf = hookFor(spec.source.git);
  return (status: Status): Status => {
    const ready = setCondition(status.conditions, { ...isTrue, type: "Ready", reason: "Resolved" }, nowMs);
    const upToDate = setCondition(ready, { ...isTrue, type: "UpToDate", reason: "Resolved" }, nowMs);
    const { pushedAt, requestedAt } = status.source ?? {};
    const { answeredAt } = answerOf(before);
    return {
      ...status,
      revision: {
        id: revision.id,
        commit,
        ...(signer === undefined ? {} : { signer }),
        resolvedAt: new Date(revision.resolvedAtMs).toISOString(),
      },
      source: {
        commit,
        digest,
        ...(renderer === undefined ? {} : { renderer }),
        ...(notes.length === 0 ? {} : { notes: notes.slice(0, 20).map((note) => note.slice(0, 1024)) }),
        ...hookOf(status),
        ...(pushedAt === undefined ? {} : { pushedAt }),
        ...(requestedAt === undefined ? {} : { requestedAt }),
        ...(answeredAt === undefined ? {} : { answeredAt }),
      },
      resources: revision.objects,
      conditions: [...upToDate],
    };
  };
}

interface Failed {
  readonly reason: string;
  readonly message: string;
  /** Undefined when it is not known what the ref has. */
  readonly commit?: string | undefined;
  readonly nowMs: number;
}

/** As long as a message of a condition may be. */
const maxMessageLength = 4_096;

function failedStatus(
  { metadata, spec, status: before }: GitDefinition,
  { reason, message, commit, nowMs }: Failed,
) {
  const { generation } = metadata;
  const hookOf = hookFor(spec.source.git);
  return (status: Status): Status => {
    const known = findCondition(status.conditions, "Ready");
    // A revision of what the spec said before is nothing that whoever wrote it now has agreed to.
    const isUsable = known?.status === "True" && known.observedGeneration === generation;
    const kept = isUsable ? ` The last good revision stays (commit ${status.revision?.commit ?? ""}).` : "";
    const told = `${message.slice(0, maxMessageLength - kept.length).toWellFormed()}${kept}`;
    const isFalse = { status: "False", reason, observedGeneration: generation } as const;
    const upToDate = setCondition(status.conditions, { ...isFalse, type: "UpToDate", message: told }, nowMs);
    const ready = { ...isFalse, type: "Ready", message: told };
    const { commit: _, webhook: __, ...source } = status.source ?? {};
    return {
      ...status,
      source: {
        ...source,
        ...answerOf(before),
        ...(commit === undefined ? {} : { commit }),
        ...hookOf(status),
      },
      conditions: [...(isUsable ? upToDate : setCondition(upToDate, ready, nowMs))],
    };
  };
}

/** The request that there was when the look began is what it answers. */
function answerOf({ source }: Status): { readonly answeredAt?: string } {
  const answeredAt = source?.requestedAt;
  return answeredAt === undefined ? {} : { answeredAt };
}

/** Nothing is new, and whoever asked is told so. */
function answered({ status: before }: GitDefinition): (status: Status) => Status {
  return (status) =>
    status.source === undefined ? status : { ...status, source: { ...status.source, ...answerOf(before) } };
}

/** Nobody can guess the address of a webhook, and it stays the same. */
function hookFor({ webhook }: GitSource): (status: Status) => { readonly webhook?: string } {
  if (webhook === undefined) return () => ({});
  const fresh = randomBytes(16).toString("hex");
  return ({ source }) => ({ webhook: source?.webhook ?? fresh });
}
