import {
  kinds,
  referencesOf,
  referrersOf,
  WorkloadInstance,
  type EventRecord,
  type Kind,
  type Referrer,
  type WorkloadTree,
} from "@bowline/api";
import type { Client, EventQuery } from "@bowline/client";
import { hasCode } from "@bowline/core";

import { isNotFound } from "../../resources/find-objects.ts";
import { findReferrers, maxRelated } from "../../resources/find-referrers.ts";
import type { FoundObject, Resource } from "../../resources/resource.ts";

/** One object and the field that ties it to the one that is described. */
export interface RelatedObject extends Resource {
  readonly field: string;
  /** `missing`: it is named and not there; `hidden`: whoever asks may not see it. */
  readonly state: "found" | "missing" | "hidden";
}

/** Objects that an object refers to or is referred to by, and what happened to it. */
export interface Related {
  readonly refersTo: readonly RelatedObject[];
  readonly referredBy: readonly RelatedObject[];
  /** Kinds that may refer to it and may not be listed by whoever asks. */
  readonly hiddenKinds: readonly Kind[];
  /** Oldest first; undefined when nobody asked. */
  readonly events: readonly EventRecord[] | undefined;
  /** Of an instance: its resources as they are in its clusters; undefined for other kinds, and where there are none. */
  readonly tree: WorkloadTree | undefined;
}

interface Options {
  readonly events: boolean;
  readonly signal: AbortSignal;
}

const maxEvents = 20;

export async function findRelated(
  client: Client,
  item: FoundObject,
  { events, signal }: Options,
): Promise<Related> {
  const { kind, object } = item;
  const [refersTo, referrers, records, tree] = await Promise.all([
    findReferences(client, item, signal),
    Promise.all(referrersOf(kind).map((referrer) => relatedBy(client, item, { referrer, signal }))),
    events ? newestEvents(client, item, signal) : undefined,
    kind === WorkloadInstance ? treeOf(client, object.metadata.name, signal) : undefined,
  ]);
  return {
    refersTo,
    referredBy: referrers.flatMap(({ related }) => related),
    hiddenKinds: [...new Set(referrers.flatMap(({ hidden }) => hidden))],
    events: records,
    tree,
  };
}

async function relatedBy(
  client: Client,
  { kind, object }: FoundObject,
  options: { readonly referrer: Referrer; readonly signal: AbortSignal },
): Promise<{ readonly related: readonly RelatedObject[]; readonly hidden: readonly Kind[] }> {
  const { objects, hidden } = await findReferrers(client, { kind, name: object.metadata.name }, options);
  const { field } = options.referrer.reference;
  const related = objects.map((found): RelatedObject => ({
    kind: found.kind,
    name: found.object.metadata.name,
    field,
    state: "found",
  }));
  return { related, hidden };
}

/** Nothing for an instance that is in no cluster, or was deleted meanwhile. */
async function treeOf(client: Client, name: string, signal: AbortSignal): Promise<WorkloadTree | undefined> {
  try {
    const tree = await client.tree(name, {}, { signal });
    return tree.clusters.length === 0 ? undefined : tree;
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

/** Of an instance, also what happened to its resources in clusters. */
async function newestEvents(
  client: Client,
  { kind, object }: FoundObject,
  signal: AbortSignal,
): Promise<EventRecord[]> {
  const { name } = object.metadata;
  const list = async (query: EventQuery): Promise<readonly EventRecord[]> =>
    (await client.listEvents({ ...query, limit: maxEvents }, { signal })).items;
  const own = await list({ kind: kind.kind, name });
  if (kind !== WorkloadInstance) return own.toReversed();
  const all = [...own, ...(await list({ instance: name }))];
  const events = new Map(all.map((event) => [event.id, event]));
  return [...events.values()]
    .toSorted((a, b) => (a.lastSeenAt < b.lastSeenAt ? -1 : Number(a.lastSeenAt > b.lastSeenAt)))
    .slice(-maxEvents);
}

function findReferences(
  client: Client,
  { kind, object }: FoundObject,
  signal: AbortSignal,
): Promise<RelatedObject[]> {
  const references = referencesOf(kind, object).slice(0, maxRelated);
  return Promise.all(
    references.map(async (reference): Promise<RelatedObject> => {
      const target = kinds.find((candidate) => candidate.kind === reference.kind) ?? kind;
      const state = await stateOf(client, { kind: target, name: reference.name }, signal);
      return { kind: target, name: reference.name, field: reference.field, state };
    }),
  );
}

async function stateOf(
  client: Client,
  { kind, name }: Resource,
  signal: AbortSignal,
): Promise<RelatedObject["state"]> {
  try {
    await client.get(kind, name, { signal });
    return "found";
  } catch (thrown) {
    if (isNotFound(thrown)) return "missing";
    if (isForbidden(thrown)) return "hidden";
    throw thrown;
  }
}

function isForbidden(thrown: unknown): boolean {
  return hasCode(thrown, "Forbidden");
}
