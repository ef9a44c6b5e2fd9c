import {
  AccessGrant,
  Cluster,
  parseFieldSelector,
  User,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
  type ApiObject,
  type Kind,
} from "@bowline/api";
import { typed, type Change, type Store } from "@bowline/store";

import type { ObjectWatch, WatchContext } from "../controllers/object-controller.ts";
import { namesNone } from "./default-cluster.ts";
import { findObjects } from "./find-objects.ts";

/** Changes of other objects that concern instances. */
export const instanceWatches: readonly ObjectWatch[] = [
  {
    kind: WorkloadDefinition,
    namesOf: ({ name }, { store }) => namesIn(store, WorkloadInstance, `spec.definition=${name}`),
  },
  { kind: Cluster, namesOf: instancesOnCluster },
  { kind: WorkloadPlacement, namesOf: instancesOfPlacement },
];

/** Changes of other objects, and of the reports about it, that concern a placement. */
export const placementWatches: readonly ObjectWatch[] = [
  {
    kind: Cluster,
    namesOf: (change, { store }) =>
      // Whoever brings a placement to a new cluster makes it after the cluster.
      change.type === "ADDED" || isSame(change, reachOf)
        ? []
        : namesIn(store, WorkloadPlacement, `spec.cluster=${change.name}`),
  },
  { kind: AccessGrant, namesOf: placementsOfGrant },
  {
    kind: User,
    namesOf: (change, { store }) =>
      isSame(change, ({ spec, metadata }) => [spec, metadata.deletedAt])
        ? []
        : placementsActingFor(store, change.name),
  },
  {
    kind: WorkloadInstance,
    namesOf: (change, { store }) =>
      isSame(change, removerIn) ? [] : namesIn(store, WorkloadPlacement, `spec.instance=${change.name}`),
  },
  {
    kind: WorkloadPlacement,
    namesOf: (change) => (change.type === "DELETED" || isSame(change, reportedOf) ? [] : [change.name]),
  },
];

/**
 * The one it is a part of, and those that wait for that one. A placement is made by the controller of its instance, which
 * has told so in its status already; and of most of what happens to single objects, that has nothing to tell.
 */
async function instancesOfPlacement(change: Change, { store }: WatchContext): Promise<readonly string[]> {
  if (change.type === "ADDED" || isSame(change, summarizedOf)) return [];
  const { instance } = typed(WorkloadPlacement, change.object).spec;
  if (isSame(change, conditionsOf)) return [instance];
  return [instance, ...(await namesIn(store, WorkloadInstance, `spec.dependsOn.instance=${instance}`))];
}

/** Everything that an instance tells of a placement, or decides by. */
function summarizedOf(object: ApiObject): unknown {
  const { metadata, spec, status } = typed(WorkloadPlacement, object);
  const { revision, health, resourceCount, healthyCount, conditions } = status;
  const { deletedAt, generation, labels } = metadata;
  return [deletedAt, generation, labels, spec, revision, health, resourceCount, healthyCount, conditions];
}

function conditionsOf(object: ApiObject): unknown {
  const { metadata, status } = typed(WorkloadPlacement, object);
  return status.conditions.map((each) => [
    each.type,
    each.status,
    each.observedGeneration === metadata.generation,
  ]);
}

/** By batch of changes: when thousands of clusters are added, instances are not read anew for each. */
const instancesFor = new WeakMap<readonly Change[], Promise<readonly WorkloadInstance[]>>();

/**
 * Agents report to the status of clusters all the time; placement asks for labels, and whether a cluster is there.
 * Rollouts that are under way ask for whether it is connected as well.
 */
async function instancesOnCluster(
  change: Change,
  { store, batch }: WatchContext,
): Promise<readonly string[]> {
  const isPlacing = !isSame(change, placingOf);
  if (!isPlacing && isSame(change, isConnectedIn)) return [];
  const read = instancesFor.get(batch) ?? findObjects(store.objects, WorkloadInstance);
  instancesFor.set(batch, read);
  const placed = (await read).filter(({ spec: { placement }, status: { rollout } }) => {
    const isItsOwn =
      placement.selector !== undefined ||
      namesNone(placement) ||
      placement.clusters?.includes(change.name) === true;
    return isItsOwn && (isPlacing || (rollout !== undefined && rollout.phase !== "Complete"));
  });
  return placed.map(({ metadata }) => metadata.name);
}

/** Those who act for the users that a grant names, or named before; a group may be anybody's. */
async function placementsOfGrant(change: Change, { store }: WatchContext): Promise<readonly string[]> {
  const grants = [change.object, change.previous].flatMap((object) =>
    object === undefined ? [] : [typed(AccessGrant, object)],
  );
  const subjects = grants.flatMap(({ spec }) => spec.subjects);
  if (subjects.some(({ group }) => group !== undefined)) return store.objects.listNames(WorkloadPlacement);
  const users = new Set(subjects.flatMap(({ user }) => user ?? []));
  return (await Promise.all([...users].map((user) => placementsActingFor(store, user)))).flat();
}

/** Those that are applied for somebody, and those of instances that they have deleted. */
async function placementsActingFor(store: Store, user: string): Promise<readonly string[]> {
  const acting = await namesIn(store, WorkloadPlacement, `spec.actingUser.user=${user}`);
  const deleted = await namesIn(store, WorkloadInstance, `status.deletedBy.user=${user}`);
  const going = await Promise.all(
    deleted.map((name) => namesIn(store, WorkloadPlacement, `spec.instance=${name}`)),
  );
  return [...acting, ...going.flat()];
}

function namesIn({ objects }: Store, kind: Kind, selector: string): Promise<readonly string[]> {
  return objects.listNames(kind, { fields: parseFieldSelector(kind, selector) });
}

function isSame({ type, object, previous }: Change, part: (object: ApiObject) => unknown): boolean {
  if (type === "DELETED" || previous === undefined) return false;
  return JSON.stringify(part(object)) === JSON.stringify(part(previous));
}

function placingOf(object: ApiObject): unknown {
  const { metadata, spec } = typed(Cluster, object);
  return [metadata.id, metadata.labels, metadata.deletedAt, spec.default === true];
}

function isConnectedIn(object: ApiObject): unknown {
  return typed(Cluster, object).status.agent?.connectedSince !== undefined;
}

/** Everything that decides in whose name placements of an instance are removed. */
function removerIn(object: ApiObject): unknown {
  const { metadata, spec, status } = typed(WorkloadInstance, object);
  return [metadata.deletedAt, spec.actingUser, status.author, status.deletedBy];
}

/** Whether a cluster can be reached, which one it is, and what manifests may know of it. */
function reachOf(object: ApiObject): unknown {
  const { metadata, spec, status } = typed(Cluster, object);
  const { connectedSince } = status.agent ?? {};
  return [metadata.labels, metadata.deletedAt, spec.region, status.clusterUid, connectedSince];
}

/** What agents report about a placement. */
function reportedOf(object: ApiObject): unknown {
  const { status } = typed(WorkloadPlacement, object);
  return [
    status.health,
    status.healthyCount,
    status.resources.map(({ health, healthReason, drifted }) => [health, healthReason, drifted]),
  ];
}
