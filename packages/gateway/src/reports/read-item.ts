import { uuid } from "@bowline/api";
import type { ObservedEvent, ObservedObject, ObjectRef, ReportItem } from "@bowline/protocol";
import type { ClusterEvent, ReportedItem, ReportedResource } from "@bowline/store";

import { hasPlainNames, isUid, maxNameLength, timeOf } from "./item-fields.ts";
import { identifierOf, plainText } from "./plain-text.ts";
import type { Refusal } from "./refusals.ts";

/** The cluster that an item is about, and what the server knows at this moment. */
export interface ItemContext {
  readonly clusterId: string;
  readonly clusterName: string;
  /** Instances that are placed in the cluster. */
  readonly placed: ReadonlySet<string>;
  /** Wall clock. */
  readonly nowMs: number;
}

/** The facts of a real object have some kilobytes; `healthFacts` never makes more than this. */
const maxFactsLength = 192 * 1024;
const maxWordLength = 128;
/** As the schema of the event record has it. */
const maxMessageLength = 4_096;
/** An Event that is older has been forgotten by its cluster, whatever that says; retention goes by these times. */
const maxEventAgeMs = 7 * 24 * 60 * 60 * 1_000;
const uuidPattern = new RegExp(uuid.pattern, "u");

/** The item as it is stored, or why it is not. Everything that a cluster says is bounded here. */
export function readItem({ item }: ReportItem, index: number, context: ItemContext): ReportedItem | Refusal {
  const read = readPart(item, context);
  return typeof read === "string" ? read : { index, ...read };
}

type ReportPart =
  | { readonly type: "object"; readonly resource: ReportedResource }
  | { readonly type: "gone"; readonly uid: string }
  | { readonly type: "event"; readonly event: ClusterEvent };

function readPart(item: ReportItem["item"], context: ItemContext): ReportPart | Refusal {
  if (item.case === "object") {
    const resource = resourceOf(item.value, context);
    return typeof resource === "string" ? resource : { type: "object", resource };
  }
  if (item.case === "event") {
    const event = eventOf(item.value, context);
    return typeof event === "string" ? event : { type: "event", event };
  }
  if (item.case !== "gone") return "unsupported";
  const uid = item.value.ref?.uid ?? "";
  return isUid(uid) ? { type: "gone", uid } : "missing-uid";
}

/** The name of the workload that an item is about; empty for none. */
export function workloadOf({ item }: ReportItem): string {
  return item.case === "object" || item.case === "event" ? item.value.workload : "";
}

function resourceOf(object: ObservedObject, { placed, nowMs }: ItemContext): ReportedResource | Refusal {
  const { ref, workload, ownerUid, facts } = object;
  if (ref === undefined || !isUid(ref.uid)) return "missing-uid";
  if (!hasValidNames(ref) || (ownerUid !== "" && !isUid(ownerUid))) return "invalid-name";
  if (!placed.has(workload)) return "unknown-workload";
  if (facts.length > maxFactsLength) return "too-large";
  if (!isJsonObject(facts)) return "invalid-facts";
  const [group, version] = groupAndVersion(ref.apiVersion);
  const changedBy = plainText(object.changedBy, maxNameLength);
  const applied = plainText(object.applied, maxWordLength);
  return {
    uid: ref.uid,
    group,
    version,
    kind: ref.kind,
    namespace: ref.namespace,
    name: ref.name,
    ...(ownerUid === "" ? {} : { ownerUid }),
    workload,
    resourceVersion: plainText(object.resourceVersion, maxWordLength),
    facts,
    ...(applied === "" ? {} : { applied }),
    ...(changedBy === "" ? {} : { changedBy }),
    observedAtMs: Math.min(timeOf(object.observedAt) ?? nowMs, nowMs),
  };
}

/** Events are told to people, so whatever can be made of one is kept. */
function eventOf(event: ObservedEvent, context: ItemContext): ClusterEvent | Refusal {
  const { clusterId, clusterName, placed, nowMs } = context;
  const { uid, regarding, workload } = event;
  if (!isUid(uid)) return "missing-uid";
  const namespace = plainText(regarding?.namespace ?? "", maxNameLength);
  const id = regarding?.uid ?? "";
  const within = (timeMs: number): number => Math.max(Math.min(timeMs, nowMs), nowMs - maxEventAgeMs);
  const lastSeenAtMs = within(timeOf(event.lastSeenAt) ?? timeOf(event.firstSeenAt) ?? nowMs);
  return {
    uid,
    clusterId,
    type: event.type === "Warning" ? "Warning" : "Normal",
    reason: identifierOf(event.reason),
    message: plainText(event.message, maxMessageLength),
    regarding: {
      kind: identifierOf(regarding?.kind ?? ""),
      name: plainText(regarding?.name ?? "", maxNameLength),
      ...(uuidPattern.test(id) ? { id } : {}),
      ...(namespace === "" ? {} : { namespace }),
      cluster: clusterName,
    },
    ...(placed.has(workload) ? { instance: workload } : {}),
    count: Math.max(1, event.count),
    firstSeenAtMs: Math.min(within(timeOf(event.firstSeenAt) ?? lastSeenAtMs), lastSeenAtMs),
    lastSeenAtMs,
  };
}

function hasValidNames({ apiVersion, kind, namespace, name }: ObjectRef): boolean {
  // A group with its version is no longer than a group may be.
  return apiVersion !== "" && name !== "" && hasPlainNames({ group: apiVersion, kind, namespace, name });
}

function groupAndVersion(apiVersion: string): readonly [group: string, version: string] {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) && text.isWellFormed();
  } catch {
    return false;
  }
}
