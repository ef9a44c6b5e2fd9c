import type { BowlineError } from "@bowline/core";

import { errorAnswer } from "../../http/error-handler.ts";

/**
 * One server-sent event: all of `data` on one line, and no `event` field, so that a browser hands every event to
 * `onmessage` and a reader of lines needs nothing but those that begin with `data: `.
 *
 * Only an event after which everything before it has been sent has an id. A client that resumes from the last id it saw
 * therefore misses nothing, also when it was cut off in the middle of the objects there were at first.
 */
export function serverSentEvent(json: string, id?: number): string {
  return id === undefined ? `data: ${json}\n\n` : `id: ${id}\ndata: ${json}\n\n`;
}

export function bookmarkEvent(position: number): Buffer {
  const json = JSON.stringify({ type: "BOOKMARK", metadata: { resourceVersion: String(position) } });
  return Buffer.from(serverSentEvent(json, position));
}

export interface ErrorEventOptions {
  readonly requestId: string;
  /** Where to resume, if the watcher is told that it can. */
  readonly position: number | undefined;
}

/** The last event of a stream; what it says of the error is what any other answer would. */
export function errorEvent(error: BowlineError, { requestId, position }: ErrorEventOptions): Buffer {
  const json = JSON.stringify({ type: "ERROR", ...errorAnswer(error, requestId).body });
  // An empty id makes a browser forget the last one: when it comes back by itself, it begins again.
  if (error.code === "Expired") return Buffer.from(`id\n${serverSentEvent(json)}`);
  return Buffer.from(serverSentEvent(json, position));
}
