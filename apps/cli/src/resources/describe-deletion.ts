import { Cluster, referencesOf, referrersOf, WorkloadPlacement, type ApiObject } from "@bowline/api";
import type { Client } from "@bowline/client";

import { printableLine } from "../output/terminal-text.ts";
import { stepOf } from "./describe-provisioning.ts";
import { findReferrers } from "./find-referrers.ts";
import { resourceName, type FoundObject, type Resource } from "./resource.ts";

const waitForReferrers = "bowline.dev/wait-for-referrers";

/** What is done before an object can go, by its finalizers; those of others are named as they are. */
const work: Readonly<Record<string, string>> = {
  "bowline.dev/remove-resources": "its objects are being removed from the cluster",
  "bowline.dev/deprovision": "what was made for it is being taken down",
};

/** More names would not be read. */
const maxNames = 5;

/** Objects that refer to one that is being deleted and have to go before it; none where nothing has to. */
export async function deletedFirst(
  client: Client,
  target: Resource,
  { object, signal }: { readonly object: ApiObject; readonly signal: AbortSignal },
): Promise<readonly FoundObject[]> {
  if (object.metadata.finalizers?.includes(waitForReferrers) !== true) return [];
  const found = await Promise.all(
    referrersOf(target.kind).map((referrer) => findReferrers(client, target, { referrer, signal })),
  );
  return found.flatMap(({ objects }) => objects);
}

/** What the deletion of an object waits for, in words: `it is being deleted; workloadinstance/web has to go first`. */
export function describeDeletion(object: ApiObject, referrers: readonly FoundObject[]): string {
  const { metadata, status } = object;
  const { deletedAt, generation, finalizers = [] } = metadata;
  if (deletedAt === undefined) return "nobody has asked for its deletion";
  const ready = status.conditions.find(({ type }) => type === "Ready");
  // Its controller knows best, once it has seen that it is to go.
  if (ready?.status === "False" && ready.observedGeneration >= generation && ready.message !== "") {
    const said = printableLine(`${ready.message.slice(0, 1).toLowerCase()}${ready.message.slice(1)}`);
    const step = stepOf(object);
    return step === undefined ? said : `${step}: ${said}`;
  }
  const parts = finalizers.map((finalizer) =>
    finalizer === waitForReferrers
      ? firstGo(referrers)
      : (work[finalizer] ?? `somebody has yet to remove its finalizer ${printableLine(finalizer)}`),
  );
  return ["it is being deleted", ...parts].join("; ");
}

/** Placements are parts of an instance, and people know them by their clusters. */
function firstGo(referrers: readonly FoundObject[]): string {
  const placements = referrers.filter(({ kind }) => kind === WorkloadPlacement);
  const clusters = placements
    .flatMap(({ kind, object }) => referencesOf(kind, object))
    .filter(({ kind }) => kind === Cluster.kind)
    .map(({ name }) => name);
  const others = referrers
    .filter(({ kind }) => kind !== WorkloadPlacement)
    .map(({ kind, object }) => resourceName({ kind, name: object.metadata.name }));
  const parts = [
    ...(clusters.length === 0 ? [] : [`what it has in ${listed(clusters)} is being removed`]),
    ...(others.length === 0 ? [] : [`${listed(others)} ${others.length === 1 ? "has" : "have"} to go first`]),
  ];
  return parts.length === 0 ? "what refers to it has to go first" : parts.join("; ");
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map(printableLine);
  const more = names.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
