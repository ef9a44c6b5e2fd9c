import type { ObservedEvent } from "@bowline/protocol";

import { isPlain } from "./plain-text.ts";

const maxUidLength = 128;
const maxKindLength = 63;
export const maxNameLength = 253;

export function isUid(uid: string): boolean {
  return uid !== "" && uid.length <= maxUidLength && isPlain(uid);
}

/** Whether names are of a length that Kubernetes gives them, and fit in a line. A group is a DNS name. */
export function hasPlainNames(names: {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): boolean {
  const { group, kind, namespace, name } = names;
  return (
    kind !== "" &&
    kind.length <= maxKindLength &&
    [group, namespace, name].every((text) => text.length <= maxNameLength) &&
    [group, kind, namespace, name].every(isPlain)
  );
}

/** Milliseconds since 1970, or undefined where there is no time, or none that a date can have. */
export function timeOf(time: ObservedEvent["lastSeenAt"]): number | undefined {
  if (time === undefined || time.seconds <= 0n || time.seconds > 253_402_300_799n) return undefined;
  return Number(time.seconds) * 1_000 + Math.floor(time.nanos / 1e6);
}
