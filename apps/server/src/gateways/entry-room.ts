import { maxManifestBytes } from "@bowline/manifests";
import type { KubeObject } from "@bowline/kube";

import { entryObjects, type EntryHost, type EntryInput } from "./entry-objects.ts";
import { manifestsOf } from "./owned-workloads.ts";

/** An entry, as far as one WorkloadDefinition has room for it. */
export interface EntryInRoom {
  readonly objects: readonly KubeObject[];
  readonly hosts: readonly EntryHost[];
}

/** Leaves out the hosts that came last, if need be; one that has a listener has come before those that have none. */
export function entryInRoom(input: EntryInput): EntryInRoom {
  const { hosts, known } = input;
  const whole = { objects: entryObjects(input), hosts };
  if (isInRoom(whole)) return whole;
  const inTurn = hosts.toSorted((one, other) => Number(known.has(other.host)) - Number(known.has(one.host)));
  const withFirst = (count: number): EntryInRoom => {
    const first = new Set(inTurn.slice(0, count));
    const some = hosts.filter((each) => first.has(each));
    return { objects: entryObjects({ ...input, hosts: some }), hosts: some };
  };
  let [fitting, tooMany] = [0, hosts.length];
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (isInRoom(withFirst(middle))) fitting = middle;
    else tooMany = middle;
  }
  return withFirst(fitting);
}

function isInRoom({ objects }: EntryInRoom): boolean {
  return Buffer.byteLength(manifestsOf(objects)) <= maxManifestBytes;
}
