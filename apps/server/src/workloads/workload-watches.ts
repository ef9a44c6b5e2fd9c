import {
  AccessGrant,
  Cluster,
  User,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
  type ApiObject,
} from "@bowline/api";
import { typed, type Change, type Store } from "@bowline/store";

import type { ObjectWatch } from "../controllers/object-controller.ts";
import { findObjects, type Search } from "./find-objects.ts";

interface Context {
  readonly store: Store;
}
type Objects = Store["objects"];

/** Changes of other objects that concern instances. */
export const instanceWatches: readonly ObjectWatch[] = [
  {
    kind: WorkloadDefinition,
    namesOf: ({ name }, { store }) => instanceNames(store.objects, { fields: { "spec.definition": name } }),
  },
  { kind: Cluster, namesOf: instancesOnCluster },
  {
    kind: WorkloadPlacement,
    namesOf: ({ object }) => [typed(WorkloadPlacement, object).spec.instance],
  },
];

/** Changes of other objects, and of the reports about it, that concern a placement. */
export const placementWatches: readonly ObjectWatch[] = [
  {
    kind: Cluster,
    namesOf: (change, { store }) =>
      isSame(change, reachOf)
        ? []
        : placementNames(store.objects, { fields: { "spec.cluster": change.name } }),
  },
  { kind: AccessGrant, namesOf: placementsOfGrant },
  {
    kind: User,
    namesOf: (change, { store }) =>
      isSame(change, ({ spec, metadata }) => [spec, metadata.deletedAt])
        ? []
        : placementNames(store.objects, { fields: { "spec.actingUser.user": change.name } }),
  },
  {
    kind: WorkloadPlacement,
    namesOf: (change) => (change.type === "DELETED" || isSame(change, reportedOf) ? [] : [change.name]),
  },
];

/** Agents report to the status of clusters all the time; placement asks for labels, and whether a cluster is there. */
async function instancesOnCluster(change: Change, { store }: Context): Promise<string[]> {
  if (isSame(change, ({ metadata }) => [metadata.id, metadata.labels, metadata.deletedAt])) return [];
  const naming = await findObjects(store.objects, WorkloadInstance, {
    fields: { "spec.placement.clusters[]": change.name },
  });
  const all = await findObjects(store.objects, WorkloadInstance);
  const selecting = all.filter(({ spec }) => spec.placement.selector !== undefined);
  return [...naming, ...selecting].map(nameOf);
}

/** Those who act for the users that a grant names, or named before; a group may be anybody's. */
async function placementsOfGrant(change: Change, { store }: Context): Promise<string[]> {
  const grants = [change.object, change.previous].flatMap((object) =>
    object === undefined ? [] : [typed(AccessGrant, object)],
  );
  const subjects = grants.flatMap(({ spec }) => spec.subjects);
  if (subjects.some(({ group }) => group !== undefined)) return placementNames(store.objects, {});
  const users = new Set(subjects.flatMap(({ user }) => user ?? []));
  const found = await Promise.all(
    [...users].map((user) => placementNames(store.objects, { fields: { "spec.actingUser.user": user } })),
  );
  return found.flat();
}

async function instanceNames(objects: Objects, search: Search): Promise<string[]> {
  return (await findObjects(objects, WorkloadInstance, search)).map(nameOf);
}

async function placementNames(objects: Objects, search: Search): Promise<string[]> {
  return (await findObjects(objects, WorkloadPlacement, search)).map(nameOf);
}

function nameOf({ metadata }: Pick<ApiObject, "metadata">): string {
  return metadata.name;
}

function isSame({ type, object, previous }: Change, part: (object: ApiObject) => unknown): boolean {
  if (type === "DELETED" || previous === undefined) return false;
  return JSON.stringify(part(object)) === JSON.stringify(part(previous));
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
