import type { Gateway } from "@bowline/api";

import type { Entry } from "./entry.ts";
import type { EntryHost, HostCertificate } from "./entry-objects.ts";
import { certificateFor, type KnownIssuers } from "./host-certificate.ts";
import { routedHosts } from "./routed-hosts.ts";

/** A Gateway that uses an entry. */
export interface EntryMember {
  readonly gateway: Gateway;
  /** The namespace of its instance, for one whose certificate is a Secret there. */
  readonly namespace: string;
}

/** The entry that a Gateway uses in a cluster, as its status says; it says so before anything is made for it. */
export function entryOf({ spec, status }: Gateway, cluster: string): Entry | undefined {
  const className = status.clusters.find((each) => each.cluster === cluster)?.class;
  return className === undefined ? undefined : { cluster, class: className, visibility: spec.visibility };
}

export function isSameEntry(one: Entry, other: Entry): boolean {
  return one.cluster === other.cluster && one.class === other.class && one.visibility === other.visibility;
}

/** The oldest first: what it has stays, whoever comes. */
export function inOrder(one: Pick<EntryMember, "gateway">, other: Pick<EntryMember, "gateway">): number {
  const key = ({ gateway: { metadata } }: Pick<EntryMember, "gateway">): string =>
    `${metadata.createdAt}/${metadata.name}`;
  return key(one) < key(other) ? -1 : 1;
}

/**
 * The hosts that an entry listens for, each once. Gateways that share one have the same certificate for it. `asked` are the
 * issuers that were chosen before: whoever looks now may not be allowed to see any, and takes no Certificate away by that.
 */
export function entryHosts(
  members: readonly EntryMember[],
  issuers: KnownIssuers | undefined,
  asked: ReadonlyMap<string, string> = new Map(),
): readonly EntryHost[] {
  const hosts = new Map<string, EntryHost>();
  const taken: EntryHost[] = [];
  for (const { gateway, namespace } of members.toSorted(inOrder)) {
    const { tls, hosts: wanted } = gateway.spec;
    const { mode } = tls;
    if (mode === "none") continue;
    const found = mode === "terminate" ? certificateFor(tls, { namespace, issuers }) : undefined;
    for (const host of routedHosts(gateway)) {
      const certificate = found !== undefined && "problem" in found ? askedOf(asked.get(host)) : found;
      if (!wanted.includes(host)) taken.push({ host, mode, certificate });
      else if (!hosts.has(host)) hosts.set(host, { host, mode, certificate });
    }
  }
  // Another one that has it by now says how it is to be.
  for (const each of taken) if (!hosts.has(each.host)) hosts.set(each.host, each);
  return [...hosts.values()];
}

function askedOf(issuer: string | undefined): HostCertificate | undefined {
  return issuer === undefined ? undefined : { from: "issuer", issuer };
}
