import { setImmediate as nextTurn } from "node:timers/promises";

import { manifestProblems, WorkloadDefinition, type StatusOf } from "@bowline/api";
import { hasCode } from "@bowline/core";
import { describeProblem, parseManifests, revisionOf, type ManifestProblem } from "@bowline/manifests";
import { done, setCondition, TerminalError, type ReconcileResult } from "@bowline/runtime";
import type { NewRevision, Revision, Store } from "@bowline/store";

import { objectController } from "./object-controller.ts";
import type { ObjectTask } from "./object-task.ts";

type DefinitionTask = Pick<ObjectTask<typeof WorkloadDefinition>, "nowMs" | "updateStatus" | "fence">;
type DefinitionStatus = StatusOf<typeof WorkloadDefinition>;

/** Resolves definitions: what they say now becomes a revision, which never changes. */
export const workloadDefinitionController = objectController({
  kind: WorkloadDefinition,

  reconciler: ({ store }) => ({
    async reconcile(definition: WorkloadDefinition, task: DefinitionTask): Promise<ReconcileResult> {
      // Its revisions go with it, once nothing that was made from them is left.
      if (definition.metadata.deletedAt !== undefined) return done;
      const revision = await storeRevision(store, await resolve(definition), task);
      if (revision === undefined) return done;
      const { generation } = definition.metadata;
      const nowMs = task.nowMs();
      await task.updateStatus((status) => resolvedStatus(status, revision, { generation, nowMs }));
      return done;
    },
  }),
});

/** What the definition says, in the form in which the same content is the same text. */
async function resolve({ metadata, spec, status }: WorkloadDefinition): Promise<NewRevision> {
  const { source, parameters } = spec;
  if (source.inline === undefined) throw sourceUnavailable();
  // Manifests of the greatest length take a tenth of a second or two: whatever waits has its turn before each.
  await nextTurn();
  const parsed = parseManifests(source.inline.manifests);
  const problems = manifestProblems(parsed, parameters);
  if (problems.length > 0) throw invalidManifests(problems);
  const { objects } = parsed;
  const { content } = revisionOf({ objects, parameters });
  return { definitionId: metadata.id, content, objects: objects.length, author: status.author?.user };
}

/** Undefined when the definition was deleted in the meantime. */
async function storeRevision(
  { revisions }: Pick<Store, "revisions">,
  revision: NewRevision,
  { fence }: DefinitionTask,
): Promise<Revision | undefined> {
  try {
    return await revisions.put(revision, { fence });
  } catch (thrown) {
    if (hasCode(thrown, "NotFound")) return undefined;
    throw thrown;
  }
}

function resolvedStatus(
  status: DefinitionStatus,
  { id, resolvedAtMs, objects }: Revision,
  { generation, nowMs }: { readonly generation: number; readonly nowMs: number },
): DefinitionStatus {
  const ready = {
    type: "Ready",
    status: "True",
    reason: "Resolved",
    message: "",
    observedGeneration: generation,
  } as const;
  return {
    ...status,
    revision: { id, resolvedAt: new Date(resolvedAtMs).toISOString() },
    resources: objects,
    conditions: [...setCondition(status.conditions, ready, nowMs)],
  };
}

function sourceUnavailable(): TerminalError {
  return new TerminalError(
    "SourceUnavailable",
    "Manifests from git are not available in this version of Bowline. Write them into spec.source.inline.manifests.",
  );
}

/** As long as a message of a condition may be. */
const maxMessageLength = 4_096;

/** Written by a version that took them: what is written now has been checked before. */
function invalidManifests(problems: readonly ManifestProblem[]): TerminalError {
  const message = `The manifests cannot be used. ${problems.map(describeProblem).join("; ")}.`;
  const ending = "… Apply the definition again to see all of it.";
  const shown =
    message.length <= maxMessageLength
      ? message
      : `${message.slice(0, maxMessageLength - ending.length).toWellFormed()}${ending}`;
  return new TerminalError("InvalidManifests", shown);
}
