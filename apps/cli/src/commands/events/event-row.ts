import { findKind, formatAge, type EventRecord } from "@bowline/api";

import { printableLine } from "../../output/terminal-text.ts";

/** The cells of an event, printable. */
export interface EventRow {
  readonly lastSeen: string;
  readonly firstSeen: string;
  readonly type: string;
  readonly reason: string;
  readonly object: string;
  readonly cluster: string;
  readonly source: string;
  readonly count: string;
  readonly message: string;
}

export function eventRow(event: EventRecord, nowMs: number): EventRow {
  const { regarding } = event;
  const kind = findKind(regarding.kind)?.singular ?? regarding.kind.toLowerCase();
  return {
    lastSeen: ageOf(event.lastSeenAt, nowMs),
    firstSeen: ageOf(event.firstSeenAt, nowMs),
    type: printableLine(event.type),
    reason: printableLine(event.reason),
    object: printableLine(`${kind}/${regarding.name}`),
    cluster: printableLine(regarding.cluster ?? "<none>"),
    source: printableLine(event.source),
    count: String(event.count),
    message: printableLine(event.message),
  };
}

function ageOf(time: string, nowMs: number): string {
  return formatAge(nowMs - Date.parse(time));
}
