import { ConfigSource, WorkloadDefinition, type GitSource } from "@bowline/api";
import { parseDurationMs } from "@bowline/core";
import { refPrefixes } from "@bowline/git";
import { findCondition } from "@bowline/runtime";
import { typed, type Change, type ObjectStore } from "@bowline/store";

import { findObjects } from "../workloads/find-objects.ts";
import type { Follower } from "./polled-repository.ts";

/** The kinds whose objects may come from git. */
export const followerKinds: readonly string[] = [WorkloadDefinition.kind, ConfigSource.kind];

export async function listFollowers(objects: Pick<ObjectStore, "list">): Promise<Follower[]> {
  const definitions = await findObjects(objects, WorkloadDefinition);
  const sources = await findObjects(objects, ConfigSource);
  return [
    ...definitions.flatMap((definition) => definitionFollower(definition) ?? []),
    ...sources.flatMap((source) => configFollower(source) ?? []),
  ];
}

/** Undefined for an object that follows nothing. */
export function followerIn({ kind, object }: Change): Follower | undefined {
  if (kind === ConfigSource.kind) return configFollower(typed(ConfigSource, object));
  return definitionFollower(typed(WorkloadDefinition, object));
}

function definitionFollower(definition: WorkloadDefinition): Follower | undefined {
  const { git } = definition.spec.source;
  return git === undefined ? undefined : followerOf(WorkloadDefinition.kind, definition, git);
}

function configFollower(source: ConfigSource): Follower | undefined {
  return followerOf(ConfigSource.kind, source, source.spec.git);
}

function followerOf(
  kind: string,
  { metadata, spec, status }: WorkloadDefinition | ConfigSource,
  { url, ref, credential, interval, webhook }: GitSource,
): Follower | undefined {
  // There is nothing new to find for one that is paused, or wants one commit by its id.
  if (spec.paused !== undefined || metadata.deletedAt !== undefined) return undefined;
  if (refPrefixes(ref).length === 0) return undefined;
  const { source, conditions } = status;
  const upToDate = findCondition(conditions, "UpToDate");
  return {
    kind,
    name: metadata.name,
    id: metadata.id,
    url,
    ref,
    credential,
    intervalMs: parseDurationMs(interval) ?? 60_000,
    commit: source?.commit,
    failure: upToDate?.status === "False" ? upToDate.reason : undefined,
    pushedAt: webhook === undefined ? undefined : source?.pushedAt,
  };
}
