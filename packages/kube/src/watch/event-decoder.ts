import { BowlineError } from "@bowline/core";
import { parseStatus } from "../client/kube-status.ts";
import { errorOfStatus, type FailedRequest } from "../client/status-error.ts";
import type { ObjectDecoder } from "../decode/object-decoder.ts";
import type { KubeObject } from "../object.ts";

/** An object was created, changed or deleted; a deleted one is as it last was. */
interface ObjectEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

/** All changes up to this version have been sent; a watch that starts from it misses nothing. */
interface BookmarkEvent {
  readonly type: "BOOKMARK";
  readonly resourceVersion: string;
  /** After `sendInitialEvents`: everything that existed at the start has been sent. */
  readonly initialEventsEnd: boolean;
}

export type WatchEvent = ObjectEvent | BookmarkEvent;

/**
 * One line of a watch as an event. An ERROR event is thrown, because it always ends the watch: 410 as `Expired`.
 * Events of a type that does not exist yet are skipped.
 */
export function decodeEvent(
  line: Buffer,
  decoder: ObjectDecoder,
  request: FailedRequest,
): WatchEvent | undefined {
  const event = decoder.decodeEvent(line);
  switch (event.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type: event.type, object: decoder.identified(event.object) };
    case "BOOKMARK":
      return bookmark(decoder.decodeEventWhole(line));
    case "ERROR":
      throw errorEvent(decoder.decodeEventWhole(line), request);
    default:
      return undefined;
  }
}

function bookmark(object: unknown): BookmarkEvent {
  const metadata = member(object, "metadata");
  const resourceVersion = member(metadata, "resourceVersion");
  if (typeof resourceVersion !== "string" || resourceVersion === "") {
    throw new BowlineError("ResponseInvalid", "The API server sent a bookmark without a resourceVersion.");
  }
  const initialEventsEnd = member(member(metadata, "annotations"), "k8s.io/initial-events-end") === "true";
  return { type: "BOOKMARK", resourceVersion, initialEventsEnd };
}

function errorEvent(object: unknown, request: FailedRequest): BowlineError {
  return errorOfStatus(parseStatus(object) ?? { causes: [] }, request);
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
