import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import {
  Credential,
  manifestProblems,
  parseFieldSelector,
  WorkloadDefinition,
  type StatusOf,
} from "@bowline/api";
import { hasCode } from "@bowline/core";
import { describeProblem, parseManifests, revisionOf, type ManifestProblem } from "@bowline/manifests";
import { done, removeCondition, setCondition, TerminalError, type ReconcileResult } from "@bowline/runtime";
import { typed, type Change, type NewRevision, type Revision, type Store } from "@bowline/store";

import {
  objectController,
  type ObjectController,
  type ObjectWatch,
} from "../controllers/object-controller.ts";
import { isFromGit, type DefinitionTask, type SourceResolver } from "./resolve-source.ts";

type DefinitionStatus = StatusOf<typeof WorkloadDefinition>;

/** Resolves definitions: what they say now becomes a revision, which never changes. */
export function definitionController(git: Pick<SourceResolver, "resolve">): ObjectController {
  return objectController({
    kind: WorkloadDefinition,
    watches: definitionWatches,

    reconciler: ({ store }) => ({
      async reconcile(definition: WorkloadDefinition, task: DefinitionTask): Promise<ReconcileResult> {
        // Its revisions go with it, once nothing that was made from them is left.
        if (definition.metadata.deletedAt !== undefined) return done;
        try {
          if (isFromGit(definition)) return await git.resolve(definition, task);
          await resolveInline(store, definition, task);
        } catch (thrown) {
          // It was deleted in the meantime.
          if (!hasCode(thrown, "NotFound")) throw thrown;
        }
        return done;
      },
    }),
  });
}

/** A push that was told, somebody who asks, and credentials that were renewed. */
const definitionWatches: readonly ObjectWatch[] = [
  {
    kind: WorkloadDefinition,
    namesOf: ({ name, object, previous }) =>
      previous === undefined || isDeepStrictEqual(wakingOf(object), wakingOf(previous)) ? [] : [name],
  },
  {
    kind: Credential,
    namesOf: async ({ name }, { store }) => {
      const fields = parseFieldSelector(WorkloadDefinition, `spec.source.git.credential=${name}`);
      return store.objects.listNames(WorkloadDefinition, { fields });
    },
  },
];

function wakingOf(object: Change["object"]): readonly unknown[] {
  const { pushedAt, requestedAt } = typed(WorkloadDefinition, object).status.source ?? {};
  return [pushedAt, requestedAt];
}

async function resolveInline(
  { revisions }: Pick<Store, "revisions">,
  definition: WorkloadDefinition,
  task: DefinitionTask,
): Promise<void> {
  const revision = await revisions.put(await inlineRevision(definition), { fence: task.fence });
  const { generation } = definition.metadata;
  const nowMs = task.nowMs();
  await task.updateStatus((status) => resolvedStatus(status, revision, { generation, nowMs }));
}

/** What the definition says, in the form in which the same content is the same text. */
async function inlineRevision({ metadata, spec, status }: WorkloadDefinition): Promise<NewRevision> {
  const { source, parameters } = spec;
  // Manifests of the greatest length take a tenth of a second or two: whatever waits has its turn before each.
  await nextTurn();
  const parsed = parseManifests(source.inline?.manifests ?? "");
  const problems = manifestProblems(parsed, parameters);
  if (problems.length > 0) throw invalidManifests(problems);
  const { objects } = parsed;
  const { content } = revisionOf({ objects, parameters });
  return { definitionId: metadata.id, content, objects: objects.length, author: status.author?.user };
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
  const { source: _, ...rest } = status;
  return {
    ...rest,
    revision: { id, resolvedAt: new Date(resolvedAtMs).toISOString() },
    resources: objects,
    conditions: [...setCondition(removeCondition(status.conditions, "UpToDate"), ready, nowMs)],
  };
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
