import {
  anyOf,
  enqueueOwner,
  enqueueSelf,
  generationChanged,
  informerSource,
  labelsChanged,
  type EventSource,
  type Predicate,
} from "@bowline/runtime";

import type { AgentFamily } from "../reconcile/agent-family.ts";
import type { AgentInterests } from "../watch/agent-interests.ts";
import type { CachedMetadata } from "../watch/cached-object.ts";
import type { ClusterCache, FamilyCache } from "../watch/cluster-cache.ts";
import type { ObjectWriter } from "../write/object-writer.ts";

interface WatchedFamily {
  readonly family: AgentFamily;
  readonly cache: ClusterCache;
  readonly familyCache: FamilyCache;
  readonly interests: AgentInterests;
  readonly writer: ObjectWriter;
}

/** Everything that may have an agent of the family looked at. */
export function familySources({
  family,
  cache,
  familyCache,
  interests,
  writer,
}: WatchedFamily): EventSource[] {
  const toOwner = enqueueOwner({ group: family.agents.group, kind: family.agents.kind });
  // Status and annotations of monitors decide nothing.
  const matters = anyOf(generationChanged(), labelsChanged());
  const selected = [...familyCache.selected].flatMap(([kind, informer]) => {
    const interest = interests.selected.get(kind);
    return interest === undefined ? [] : [informerSource(informer, interest.handler, matters)];
  });
  return [
    informerSource(familyCache.agents, enqueueSelf(), generationChanged()),
    ...selected,
    ...(cache.namespaces === undefined
      ? []
      : [informerSource(cache.namespaces, interests.namespaces.handler, labelsChanged())]),
    informerSource(cache.secrets, interests.secrets.handler),
    informerSource(cache.configMaps, interests.configMaps.handler),
    ...[cache.secrets, cache.configMaps, cache.services, cache.statefulSets].map((owned) =>
      informerSource(owned, toOwner, notOwnWrites(writer)),
    ),
  ];
}

/** One that is new counts in any case: the agent may have come to want less before it was seen here. */
function notOwnWrites(writer: ObjectWriter): Predicate<CachedMetadata> {
  return {
    update: (_before, after) => !writer.isOwnWrite(after),
    delete: (object) => {
      writer.forget(object);
      return true;
    },
  };
}
