import type { KubeObject } from "@bowline/kube";

import { removeResource } from "../ensure-resource.ts";
import type { ProviderAnswer, ProviderWork } from "../provider.ts";
import { missed, seen, type ResourceRecord } from "../resource-record.ts";
import { knownRecords } from "./cluster-look.ts";
import { viewOf } from "./cluster-view.ts";
import { heldBy } from "./held-deletion.ts";
import {
  findObject,
  stalled,
  type ClusterApiAccess,
  type ManagementCluster,
  type ObjectPlace,
} from "./management-cluster.ts";
import { isOurs } from "./marks.ts";
import { isOfCluster, placeOf, shownPlace } from "./object-record.ts";
import { handlerToRemove } from "./write-object.ts";

const stepCount = 2;
const clusterStep = {
  number: 1,
  of: stepCount,
  text: "Waiting for Cluster API to take the cluster away",
  expectedSeconds: 600,
};
const partsStep = {
  number: 2,
  of: stepCount,
  text: "Removing what else the template had",
  expectedSeconds: 30,
};

const retryMs = 10_000;

/** The place of what a record is about, in a version that is served now: that of its creation may be gone by then. */
export async function servedPlace(
  { name, discovery }: ManagementCluster,
  record: ResourceRecord,
): Promise<ObjectPlace> {
  const place = placeOf(record);
  const { group, kind, version } = place.resource;
  const found =
    (await discovery.findKind({ group, kind, version })) ?? (await discovery.findKind({ group, kind }));
  if (found !== undefined) return { ...place, resource: { ...place.resource, version: found.version } };
  throw stalled(
    "KindUnknown",
    `The management cluster ${name} does not know the kind ${kind}${group === "" ? "" : ` of ${group}`} any more, so nobody can say what became of ${shownPlace(place)}. Install Cluster API and its providers again or, to give up what is left, set spec.deletionPolicy to orphan.`,
  );
}

/** How far a deletion is; changes nothing. */
export async function lookAtDeletion(access: ClusterApiAccess, work: ProviderWork): Promise<ProviderAnswer> {
  const record = [...(await knownRecords(work)).values()].find(isOfCluster);
  if (record === undefined) return deletingParts([]);
  await using management = await access.open(record.region ?? "", work.cluster);
  const live = await findOurs(management, work, record);
  return live === undefined ? deletingParts([]) : deletingCluster(live, work);
}

/** One step towards nothing: first the Cluster, with all that Cluster API has made of it, and then its other objects. */
export async function deleteCluster(access: ClusterApiAccess, work: ProviderWork): Promise<ProviderAnswer> {
  const records = [...(await knownRecords(work)).values()];
  const cluster = records.find(isOfCluster);
  const held = cluster === undefined ? undefined : await removeCluster(access, work, cluster);
  if (held !== undefined) return held;
  const parts = records.filter((record) => !isOfCluster(record)).toReversed();
  const left: ResourceRecord[] = [];
  for (const [region, here] of Map.groupBy(parts, (part) => part.region ?? "")) {
    await using management = await access.open(region, work.cluster);
    for (const part of here) {
      const handler = handlerToRemove({ management, work }, await servedPlace(management, part));
      const removed = await removeResource(work, handler);
      if (removed !== undefined && removed.state !== "gone") left.push(removed);
    }
  }
  return left.length === 0 ? { state: "gone" } : deletingParts(left);
}

/** Undefined once the Cluster is gone. */
async function removeCluster(
  access: ClusterApiAccess,
  work: ProviderWork,
  record: ResourceRecord,
): Promise<ProviderAnswer | undefined> {
  await using management = await access.open(record.region ?? "", work.cluster);
  const live = await findOurs(management, work, record);
  if (live === undefined) {
    const looked = missed(record, work.clock.now());
    await work.records.put(looked);
    return looked.state === "gone" ? undefined : deletingParts([]);
  }
  if (live.metadata.deletionTimestamp === undefined) {
    const place = await servedPlace(management, record);
    await removeResource(work, handlerToRemove({ management, work }, place));
  } else if (record.state !== "deleting") {
    await work.records.put(seen(record, { state: "deleting" }, work.clock.now()));
  }
  return deletingCluster(live, work);
}

async function findOurs(
  management: ManagementCluster,
  work: ProviderWork,
  record: ResourceRecord,
): Promise<KubeObject | undefined> {
  const live = await findObject(management, await servedPlace(management, record), { signal: work.signal });
  return live !== undefined && isOurs(live, work, record) ? live : undefined;
}

function deletingCluster(live: KubeObject, { clock }: ProviderWork): ProviderAnswer {
  const message = heldBy(live, viewOf(live), clock.now());
  return { state: "deleting", reason: "DeletingCluster", message, step: clusterStep, retryAfterMs: retryMs };
}

function deletingParts(left: readonly ResourceRecord[]): ProviderAnswer {
  const leftOver = left.map((record) => shownPlace(placeOf(record)));
  return {
    state: "deleting",
    reason: "DeletingCluster",
    step: partsStep,
    ...(leftOver.length === 0 ? {} : { leftOver }),
    retryAfterMs: retryMs,
  };
}
