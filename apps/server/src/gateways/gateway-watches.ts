import { Cluster, Gateway, parseFieldSelector, User, WorkloadInstance, type ApiObject } from "@bowline/api";
import { typed, type Store } from "@bowline/store";

import type { ObjectWatch } from "../controllers/object-controller.ts";
import { isUnchanged } from "../controllers/unchanged-part.ts";
import { madeForGateways } from "./entry.ts";

/** Changes of other objects that concern Gateways; what happens in clusters alone is looked at now and then. */
export const gatewayWatches: readonly ObjectWatch[] = [
  {
    kind: WorkloadInstance,
    namesOf: async (change, { store }) => {
      if (isUnchanged(change, progressOf)) return [];
      const { labels } = change.object.metadata;
      if (labels[madeForGateways] === "routes") return [labels["bowline.dev/gateway"] ?? ""];
      const cluster = labels["bowline.dev/cluster"];
      if (labels[madeForGateways] !== undefined && cluster !== undefined) {
        return namesIn(store, `status.clusters.cluster=${cluster}`);
      }
      return namesIn(store, `spec.instance=${change.name}`);
    },
  },
  {
    kind: Cluster,
    namesOf: (change, { store }) =>
      isUnchanged(change, reachOf) ? [] : namesIn(store, `status.clusters.cluster=${change.name}`),
  },
  {
    kind: User,
    namesOf: (change, { store }) =>
      isUnchanged(change, ({ spec }) => spec) ? [] : namesIn(store, `status.author.user=${change.name}`),
  },
  // Those who come to an entry, or leave it, change what the others find there.
  {
    kind: Gateway,
    namesOf: async (change, { store }) => {
      if (isUnchanged(change, usedEntries)) return [];
      const { status } = typed(Gateway, change.object);
      const found = await Promise.all(
        status.clusters.map(({ cluster }) => namesIn(store, `status.clusters.cluster=${cluster}`)),
      );
      return [...new Set(found.flat())].filter((name) => name !== change.name);
    },
  },
];

function namesIn({ objects }: Store, selector: string): Promise<readonly string[]> {
  return objects.listNames(Gateway, { fields: parseFieldSelector(Gateway, selector) });
}

function progressOf(object: ApiObject): unknown {
  const { metadata, spec, status } = typed(WorkloadInstance, object);
  const clusters = status.clusters.map(({ cluster, ready, reason }) => [cluster, ready, reason]);
  return [metadata.deletedAt, spec.namespace, spec.placement, clusters];
}

function reachOf(object: ApiObject): unknown {
  const { metadata, status } = typed(Cluster, object);
  return [metadata.id, metadata.deletedAt, status.clusterUid, status.agent?.connectedSince];
}

function usedEntries(object: ApiObject): unknown {
  const { metadata, spec, status } = typed(Gateway, object);
  // Their order changes with how they do.
  const clusters = new Map(status.clusters.map(({ cluster, class: name }) => [cluster, name]));
  return [metadata.deletedAt, spec.visibility, spec.hosts, spec.tls, clusters];
}
