import { resources } from "../client/resources.ts";
import { microTime, type KubeObject } from "../object.ts";

/** The object that an event is about; every one as it is read from the API will do. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

export interface EventInput {
  readonly regarding: EventSubject;
  /** A second object that matters: the pod that a ReplicaSet could not create. */
  readonly related?: EventSubject;
  /** `Warning` for what a person may have to do something about. */
  readonly type: "Normal" | "Warning";
  /** Why, in CamelCase, from a small set: `FailedApply`. */
  readonly reason: string;
  /** The deed, in CamelCase, from a small set: `Applying`. */
  readonly action: string;
  /** A sentence for people; cut at 1 KiB. */
  readonly note: string;
}

export interface EventReporter {
  /** `bowline.dev/agent`. */
  readonly controller: string;
  /** Usually the name of the pod. */
  readonly instance: string;
}

export interface EventSeries {
  readonly count: number;
  readonly lastObservedTime: string;
}

export interface KubeEvent extends KubeObject {
  eventTime: string;
  reportingController: string;
  reportingInstance: string;
  action: string;
  reason: string;
  regarding: ObjectReference;
  related?: ObjectReference;
  note: string;
  type: "Normal" | "Warning";
  series?: EventSeries;
}

interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Limits of the API server, in bytes; a longer text would make it refuse the whole event. */
const maxNoteBytes = 1024;
const maxWordBytes = 128;
const maxNameLength = 230;

/** `unique` makes the name; two events of one object never share it. */
export function kubeEvent(input: EventInput, by: EventReporter, now: number, unique: string): KubeEvent {
  const { group, version, kind } = resources.events;
  // Events of objects without a namespace live in this one.
  const { name = "unknown", namespace = "default" } = input.regarding.metadata;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: eventName(name, unique), namespace },
    eventTime: microTime(now),
    reportingController: cutBytes(by.controller, maxWordBytes),
    reportingInstance: cutBytes(by.instance, maxWordBytes),
    action: cutBytes(input.action, maxWordBytes),
    reason: cutBytes(input.reason, maxWordBytes),
    regarding: reference(input.regarding),
    ...(input.related === undefined ? {} : { related: reference(input.related) }),
    note: cutBytes(input.note, maxNoteBytes),
    type: input.type,
  };
}

/** The same event under another name. */
export function renamed(event: KubeEvent, unique: string): KubeEvent {
  const { name = "unknown" } = event.regarding;
  return { ...event, metadata: { ...event.metadata, name: eventName(name, unique) } };
}

/** Events with the same key say the same about the same object. */
export function seriesKey({ regarding, related, type, reason, action, note }: EventInput): string {
  return JSON.stringify([subjectKey(regarding), related && subjectKey(related), type, reason, action, note]);
}

export function subjectKey({ apiVersion, kind, metadata }: EventSubject): string {
  return metadata.uid ?? [apiVersion, kind, metadata.namespace, metadata.name].join("/");
}

function eventName(name: string, unique: string): string {
  return `${name.slice(0, maxNameLength)}.${unique}`;
}

function reference({ apiVersion, kind, metadata }: EventSubject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** Cuts between characters and shows that something is missing. */
function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  const ellipsis = "…";
  let end = maxBytes - Buffer.byteLength(ellipsis);
  // Bytes of the form 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--;
  return bytes.toString("utf8", 0, end) + ellipsis;
}
