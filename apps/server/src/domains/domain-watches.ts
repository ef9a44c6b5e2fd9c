import {
  Cluster,
  Credential,
  DomainName,
  Gateway,
  isInDomain,
  parseFieldSelector,
  type ApiObject,
} from "@bowline/api";
import { typed, type Store } from "@bowline/store";

import type { ObjectWatch } from "../controllers/object-controller.ts";
import { isUnchanged } from "../controllers/unchanged-part.ts";
import { findObjects } from "../workloads/find-objects.ts";

/** Changes of other objects that concern DomainNames; whether hosts answer is looked at again and again. */
export const domainWatches: readonly ObjectWatch[] = [
  {
    kind: Gateway,
    namesOf: async (change, { store }) => {
      if (isUnchanged(change, waysIn)) return [];
      const hosts = [change.object, change.previous].flatMap((object) =>
        object === undefined ? [] : typed(Gateway, object).spec.hosts,
      );
      return namesWhere(store, ({ spec, status }) =>
        hosts.some(
          (host) => isInDomain(host, spec.domain) || status.hosts.some((each) => each.host === host),
        ),
      );
    },
  },
  {
    kind: Cluster,
    namesOf: (change, { store }) =>
      isUnchanged(change, reachOf)
        ? []
        : namesWhere(store, ({ status }) =>
            status.hosts.some(({ clusters }) => clusters.some(({ cluster }) => cluster === change.name)),
          ),
  },
  {
    kind: Credential,
    namesOf: (change, { store }) =>
      isUnchanged(change, ({ status }) => status)
        ? []
        : store.objects.listNames(DomainName, {
            fields: parseFieldSelector(DomainName, `spec.credential=${change.name}`),
          }),
  },
  // A longer domain takes hosts from a shorter one, and gives them back when it goes.
  {
    kind: DomainName,
    namesOf: (change, { store }) =>
      isUnchanged(change, ownHosts)
        ? []
        : namesWhere(
            store,
            ({ metadata, spec }) =>
              metadata.name !== change.name &&
              [change.object, change.previous].some((object) => {
                const other = object === undefined ? undefined : typed(DomainName, object).spec.domain;
                return (
                  other !== undefined && (isInDomain(other, spec.domain) || isInDomain(spec.domain, other))
                );
              }),
          ),
  },
];

async function namesWhere(
  { objects }: Store,
  isConcerned: (domain: DomainName) => boolean,
): Promise<readonly string[]> {
  return (await findObjects(objects, DomainName))
    .filter((each) => isConcerned(each))
    .map(({ metadata }) => metadata.name);
}

function waysIn(object: ApiObject): unknown {
  const { metadata, spec, status } = typed(Gateway, object);
  const clusters = status.clusters.map(({ cluster, reason, addresses, checks }) => [
    cluster,
    reason === "Leaving",
    addresses,
    checks
      .filter(({ type }) => type === "Listener" || type === "Route")
      .map((each) => [each.type, each.status]),
  ]);
  return [metadata.deletedAt, spec, clusters];
}

function reachOf(object: ApiObject): unknown {
  const { metadata, spec, status } = typed(Cluster, object);
  return [metadata.deletedAt, spec.region, status.agent?.connectedSince];
}

function ownHosts(object: ApiObject): unknown {
  const { metadata, spec, status } = typed(DomainName, object);
  return [metadata.deletedAt, spec.domain, status.hosts.map(({ host }) => host)];
}
