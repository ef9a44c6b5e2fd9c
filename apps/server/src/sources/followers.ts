import { WorkloadDefinition, type GitSource, type StatusOf } from "@bowline/api";
import { parseDurationMs } from "@bowline/core";
import { refPrefixes } from "@bowline/git";
import { findCondition } from "@bowline/runtime";
import { typed, type Change, type ObjectStore } from "@bowline/store";

import { findObjects } from "../workloads/find-objects.ts";
import type { Follower } from "./polled-repository.ts";

/** The kinds whose objects may come from git. */
export const followerKinds: readonly string[] = [WorkloadDefinition.kind];

export async function listFollowers(objects: Pick<ObjectStore, "list">): Promise<Follower[]> {
  const definitions = await findObjects(objects, WorkloadDefinition);
  return definitions.flatMap((definition) => definitionFollower(definition) ?? []);
}

/** Undefined for an object that follows nothing. */
export function followerIn({ object }: Change): Follower | undefined {
  return definitionFollower(typed(WorkloadDefinition, object));
}

function definitionFollower({ metadata, spec, status }: WorkloadDefinition): Follower | undefined {
  const { git } = spec.source;
  // There is nothing new to find for one that is paused, or wants one commit by its id.
  if (git === undefined || spec.paused !== undefined || metadata.deletedAt !== undefined) return undefined;
  if (refPrefixes(git.ref).length === 0) return undefined;
  return { kind: WorkloadDefinition.kind, name: metadata.name, id: metadata.id, ...seenOf(git, status) };
}

function seenOf(
  { url, ref, credential, interval, webhook }: GitSource,
  { source, conditions }: StatusOf<typeof WorkloadDefinition>,
): Omit<Follower, "kind" | "name" | "id"> {
  const upToDate = findCondition(conditions, "UpToDate");
  return {
    url,
    ref,
    credential,
    intervalMs: parseDurationMs(interval) ?? 60_000,
    commit: source?.commit,
    failure: upToDate?.status === "False" ? upToDate.reason : undefined,
    pushedAt: webhook === undefined ? undefined : source?.pushedAt,
  };
}
