import type { KubeObject } from "@bowline/kube";

import type { ProviderAnswer, ProviderWork } from "../provider.ts";
import { missed, seen, type ResourceRecord } from "../resource-record.ts";
import { viewOf } from "./cluster-view.ts";
import { findObject, stalled, type ClusterApiAccess, type ManagementCluster } from "./management-cluster.ts";
import { isOurs, isWritten } from "./marks.ts";
import { isOfCluster, placeOf, shownPlace } from "./object-record.ts";
import { progressOf, stepNamed } from "./progress.ts";
import { wantedObjects, type WantedObject } from "./wanted-objects.ts";

/** What was found, and what is to be done about it. */
export interface ClusterLook {
  readonly answer: ProviderAnswer;
  /** Objects that are not there, or not as they are wanted, in the order in which they are to be written. */
  readonly toWrite: readonly FoundObject[];
  /** Records of objects that are not wanted any more, the last first. Nothing else is to be done then. */
  readonly toRemove: readonly ResourceRecord[];
}

/** An object that is wanted, and what there is of it. */
export interface FoundObject {
  readonly wanted: WantedObject;
  readonly record: ResourceRecord | undefined;
  readonly live: KubeObject | undefined;
}

const soonMs = 2_000;
const missedAgainMs = 10_000;

/** The records of one cluster by their steps, without those of what is gone. */
export async function knownRecords({ records }: ProviderWork): Promise<ReadonlyMap<string, ResourceRecord>> {
  const known = (await records.list()).filter(({ state }) => state !== "gone");
  return new Map(known.map((record) => [record.step, record]));
}

/** Looks at everything that is wanted; changes nothing outside. */
export async function lookAtCluster(
  access: ClusterApiAccess,
  management: ManagementCluster,
  work: ProviderWork,
): Promise<ClusterLook> {
  const records = await knownRecords(work);
  const { parts, cluster } = await wantedObjects(access, management, work);
  requireSameCluster(records, cluster);
  const found = await find(management, work, { wanted: cluster, records });
  if (found.live === undefined && found.record?.id !== undefined) {
    return nothingToDo(await missing(work, found.record, cluster));
  }
  if (found.live?.metadata.deletionTimestamp !== undefined) return nothingToDo(deletedElsewhere(cluster));
  const others: FoundObject[] = [];
  for (const wanted of parts) others.push(await find(management, work, { wanted, records }));
  const record = await noteFound(work, found);
  const all = [...others, { ...found, record }];
  const toWrite = all.filter(({ wanted, record: known, live }) => {
    return live === undefined || known?.id === undefined || !isWritten(live, wanted.object, work);
  });
  const wasReady = record?.state === "ready";
  if (toWrite.length > 0 || found.live === undefined) {
    return { answer: writing(wasReady), toWrite, toRemove: [] };
  }
  const answer = progressOf(viewOf(found.live), { wasReady });
  if (answer.state !== "ready") return nothingToDo(answer);
  if (record !== undefined && !wasReady) await work.records.put({ ...record, state: "ready" });
  const toRemove = unwanted(records, all);
  return toRemove.length === 0 ? nothingToDo(answer) : { answer: removing(toRemove), toWrite: [], toRemove };
}

function nothingToDo(answer: ProviderAnswer): ClusterLook {
  return { answer, toWrite: [], toRemove: [] };
}

/** A cluster cannot be renamed or moved to another namespace: under another name it would be another one. */
function requireSameCluster(
  records: ReadonlyMap<string, ResourceRecord>,
  { step, place }: WantedObject,
): void {
  const other = [...records.values()].find((record) => isOfCluster(record) && record.step !== step);
  if (other === undefined) return;
  throw stalled(
    "PlaceChanged",
    `It was made as ${shownPlace(placeOf(other))} in the management cluster, and would be ${shownPlace(place)} now, which would be another cluster. Give it its name and namespace back.`,
  );
}

/** An object in the place where it is wanted, and nobody else's. */
async function find(
  management: ManagementCluster,
  work: ProviderWork,
  {
    wanted,
    records,
  }: { readonly wanted: WantedObject; readonly records: ReadonlyMap<string, ResourceRecord> },
): Promise<FoundObject> {
  const { place, step } = wanted;
  const record = records.get(step);
  const live = await findObject(management, place, {
    signal: work.signal,
    metadataOnly: !isOfCluster({ step }),
  });
  if (live !== undefined && !isOurs(live, work, record)) throw nameTaken(management, wanted, record);
  if (record === undefined || record.region === management.name) return { wanted, record, live };
  if (live !== undefined) {
    // Objects of Cluster API are moved from one management cluster to another, with their marks.
    const moved = { ...record, region: management.name };
    await work.records.put(moved);
    return { wanted, record: moved, live };
  }
  throw stalled(
    "PlaceChanged",
    `${shownPlace(place)} was made in the management cluster ${record.region ?? ""} and is not in ${management.name}. Move it there with clusterctl move, or set spec.clusterapi.managementCluster back.`,
  );
}

function nameTaken(
  { name }: ManagementCluster,
  { place, step }: WantedObject,
  record: ResourceRecord | undefined,
): Error {
  const shown = shownPlace(place);
  if (record?.id !== undefined && isOfCluster({ step })) {
    return stalled(
      "NameTaken",
      `${shown} in the management cluster ${name} is not the one that was made for this cluster: somebody deleted that, and made another of the same name.`,
    );
  }
  return stalled(
    "NameTaken",
    `There is a ${shown} in the management cluster ${name} already, which was not made for this cluster; it is left as it is. Take it away, or choose another name.`,
  );
}

/** What was missed once may be a slip; what was missed twice was taken away by somebody, and is not made again. */
async function missing(
  work: ProviderWork,
  record: ResourceRecord,
  { place }: WantedObject,
): Promise<ProviderAnswer> {
  const nowMs = work.clock.now();
  const { state, ...rest } = missed(record, nowMs);
  // It counts as gone only after we have asked for it.
  if (record.missedAtMs === undefined) await work.records.put({ ...rest, state: record.state });
  const shown = shownPlace(place);
  if (state === "gone") {
    return {
      state: "lost",
      reason: "Lost",
      message: `${shown} is not in the management cluster any more: it was deleted there, not here. Delete this cluster to have it made again, or restore it there.`,
    };
  }
  const message = `${shown} was not found in the management cluster; it is looked for once more.`;
  return {
    state: record.state === "ready" ? "updating" : "creating",
    reason: "Missing",
    message,
    retryAfterMs: missedAgainMs,
  };
}

function deletedElsewhere({ place }: WantedObject): ProviderAnswer {
  return {
    state: "blocked",
    reason: "DeletedElsewhere",
    message: `${shownPlace(place)} is being deleted in the management cluster, by somebody there; nothing is written to it any more.`,
    retryAfterMs: 10_000,
  };
}

/** Writes down what is new: a record for each look would be a write for each look. */
async function noteFound(
  { records, clock }: ProviderWork,
  { record, live }: FoundObject,
): Promise<ResourceRecord | undefined> {
  if (record === undefined || live === undefined) return record;
  const { uid = "" } = live.metadata;
  if (record.id === uid && record.missedAtMs === undefined && record.state !== "intended") return record;
  const state = record.state === "intended" ? "created" : record.state;
  const noted = seen(record, { state, id: uid }, clock.now());
  await records.put(noted);
  return noted;
}

function writing(wasReady: boolean): ProviderAnswer {
  if (!wasReady) return { state: "creating", step: stepNamed("writing"), retryAfterMs: soonMs };
  const message = "What has changed is being written into the management cluster.";
  return { state: "updating", reason: "Updating", message, retryAfterMs: soonMs };
}

function removing(records: readonly ResourceRecord[]): ProviderAnswer {
  const shown = records.slice(0, 5).map((record) => shownPlace(placeOf(record)));
  const message = `What the template does not have any more is being removed: ${shown.join(", ")}${records.length > 5 ? " and others" : ""}.`;
  return { state: "updating", reason: "Updating", message, retryAfterMs: missedAgainMs };
}

/** Only once the cluster is as it should be: machines that are being replaced still need their old templates. */
function unwanted(
  records: ReadonlyMap<string, ResourceRecord>,
  wanted: readonly FoundObject[],
): ResourceRecord[] {
  const steps = new Set(wanted.map((each) => each.wanted.step));
  return [...records.values()].filter(({ step }) => !steps.has(step)).toReversed();
}
