import type { GitSource, StatusOf, WorkloadDefinition } from "@bowline/api";
import { contentId, LruMap, type BowlineError } from "@bowline/core";
import { findCondition, requeueAfter, done, setCondition, type ReconcileResult } from "@bowline/runtime";
import type { Revision, Store } from "@bowline/store";

import type { ObjectTask } from "../controllers/object-task.ts";
import { definitionInputs } from "../workloads/definition-inputs.ts";
import type { GitReader, SourceFiles } from "./git-reader.ts";
import type { SeenRef } from "./shared-refs.ts";
import {
  answered,
  answerOf,
  failedStatus,
  hookFor,
  inputsIn,
  isUpToDate,
  pausedMessage,
  retryDelayMs,
  sourceFailure,
  type FailedSource,
} from "./source-status.ts";
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
      const message = pausedMessage("revision is made", paused);
      await task.updateStatus(failed(definition, { reason: "Suspended", message, nowMs: task.nowMs() }));
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
      return seen === undefined
        ? done
        : requeueAfter(retryDelayMs(definition.spec.source.git, definition.status, failure, task.nowMs()));
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
      await task.updateStatus(answered(status, definitionInputs(spec)));
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
    const { commit, signer } = found;
    const revision = await revisions.put(
      { definitionId: metadata.id, content, objects, commit, signer, author },
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
    await task.updateStatus(failed(definition, { reason, message, commit, nowMs: task.nowMs() }));
    if (known?.reason !== reason) await task.recordEvent({ type: "Warning", reason, message });
  }
}

/** Whether the commit was dealt with already, under the settings that there are now. */
function isCurrent({ metadata, status }: GitDefinition, commit: string): boolean {
  return status.revision?.commit === commit && isUpToDate(status, metadata.generation);
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
        arrivedAt: new Date(arrivalMs(before, found, nowMs)).toISOString(),
      },
      source: {
        commit,
        digest,
        ...inputsIn(definitionInputs(spec)),
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

/** A push that was told is from then; the date in a commit may be of long before it was pushed. */
function arrivalMs(
  { revision, source }: Status,
  { commit, committedAtMs }: Pick<SourceFiles, "commit" | "committedAtMs">,
  nowMs: number,
): number {
  const [resolvedMs = 0, arrivedMs = 0, pushedMs = 0] = [
    revision?.resolvedAt,
    revision?.arrivedAt,
    source?.pushedAt,
  ].map((time = "") => Date.parse(time) || 0);
  if (revision?.commit === commit && arrivedMs > 0) return arrivedMs;
  // A content that comes back has the time at which it was first there.
  const beforeMs = Math.max(resolvedMs, arrivedMs);
  return pushedMs > beforeMs ? pushedMs : Math.min(nowMs, Math.max(committedAtMs, beforeMs));
}

type Failed = Pick<FailedSource<Status>, "reason" | "message" | "commit" | "nowMs">;

function failed(
  { metadata, spec, status: before }: GitDefinition,
  { reason, message, commit, nowMs }: Failed,
) {
  const { generation } = metadata;
  const kept = ({ revision }: Status): string =>
    `The last good revision stays (commit ${revision?.commit ?? ""}).`;
  // The very commit that is used was looked at anew, by rules that are newer than its revision.
  const isRefused = ({ revision }: Status): boolean =>
    reason === "NotVerified" && commit !== undefined && commit === revision?.commit;
  return failedStatus<Status>({
    generation,
    git: spec.source.git,
    inputs: definitionInputs(spec),
    isRefused,
    usable: "Resolved",
    reason,
    message,
    commit,
    kept,
    nowMs,
    before,
  });
}
