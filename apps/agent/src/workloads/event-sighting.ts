import { isRecord } from "@bowline/core";
import type { FieldMask, KubeObject } from "@bowline/kube";

import { kindKey, kindOf, type ObjectPlace } from "../observe/kube-message.ts";
import { timestamp, type ObservedEvent } from "../report/report-item.ts";

/** An Event as it was just seen, and what it is about. */
export class EventSighting {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly regardingUid: string;
  #report: ObservedEvent | undefined;

  constructor(event: KubeObject, regardingUid: string, report: ObservedEvent | undefined) {
    const { namespace = "", name = "", uid = "" } = event.metadata;
    this.namespace = namespace;
    this.name = name;
    this.uid = uid;
    this.regardingUid = regardingUid;
    this.#report = report;
  }

  /** Once; undefined for one that is about nothing of ours. */
  takeReport(): ObservedEvent | undefined {
    const report = this.#report;
    this.#report = undefined;
    return report;
  }
}

/** Events are written through two APIs, which name the same fields differently; both are read in the older form. */
export const eventFields: FieldMask = {
  metadata: { creationTimestamp: true },
  involvedObject: { apiVersion: true, kind: true, namespace: true, name: true, uid: true },
  regarding: { apiVersion: true, kind: true, namespace: true, name: true, uid: true },
  type: true,
  reason: true,
  message: true,
  note: true,
  count: true,
  deprecatedCount: true,
  firstTimestamp: true,
  lastTimestamp: true,
  deprecatedFirstTimestamp: true,
  deprecatedLastTimestamp: true,
  eventTime: true,
  series: { count: true, lastObservedTime: true },
};

const maxMessage = 1_024;
const maxWord = 128;

/** The object that an event is about, as far as the event tells. */
export interface Regarded extends Omit<ObjectPlace, "owner"> {
  readonly apiVersion: string;
  readonly kindName: string;
}

export function regardedBy(event: KubeObject): Regarded {
  const reference = event["involvedObject"] ?? event["regarding"];
  const about = isRecord(reference) ? reference : {};
  const [apiVersion, kindName] = [wordOf(about["apiVersion"]), wordOf(about["kind"])];
  return {
    apiVersion,
    kindName,
    kind: kindKey(kindOf(apiVersion, kindName)),
    namespace: wordOf(about["namespace"], 253),
    name: wordOf(about["name"], 253),
    uid: wordOf(about["uid"]),
  };
}

export function observedEvent(event: KubeObject, regarded: Regarded, workload: string): ObservedEvent {
  const series = isRecord(event["series"]) ? event["series"] : {};
  const created = timeOf(event.metadata.creationTimestamp) ?? 0;
  const [firstSeen, lastSeen] = seenTimes(event, series, created);
  const { apiVersion, kindName, namespace, name, uid } = regarded;
  return {
    uid: event.metadata.uid ?? "",
    regarding: { apiVersion, kind: kindName, namespace, name, uid },
    workload,
    type: event["type"] === "Warning" ? "Warning" : "Normal",
    reason: wordOf(event["reason"]),
    message: wordOf(event["message"] ?? event["note"], maxMessage),
    count: countOf(series["count"] ?? event["count"] ?? event["deprecatedCount"]),
    firstSeenAt: timestamp(firstSeen),
    lastSeenAt: timestamp(lastSeen),
  };
}

/** One API has the first and the last time, the other one the time of the event and that of its series. */
function seenTimes(
  event: KubeObject,
  series: Readonly<Record<string, unknown>>,
  created: number,
): [number, number] {
  const first = timeOf(event["firstTimestamp"] ?? event["deprecatedFirstTimestamp"]);
  const last = timeOf(event["lastTimestamp"] ?? event["deprecatedLastTimestamp"]);
  const eventTime = timeOf(event["eventTime"]);
  const ofSeries = timeOf(series["lastObservedTime"]);
  const firstSeen = first ?? eventTime ?? last ?? created;
  return [firstSeen, Math.max(ofSeries ?? last ?? eventTime ?? firstSeen, firstSeen)];
}

function timeOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) || ms <= 0 ? undefined : ms;
}

/** How often it happened; the messages have 32 bits for it. */
function countOf(value: unknown): number {
  return typeof value === "number" && value >= 1 ? Math.min(Math.floor(value), 2 ** 32 - 1) : 1;
}

function wordOf(value: unknown, chars = maxWord): string {
  return typeof value === "string" ? value.slice(0, chars).toWellFormed() : "";
}
