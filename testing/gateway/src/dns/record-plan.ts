import type { DnsRecord } from "./dns-server.ts";

/** A host and where it leads; addresses are A records, one name is a CNAME. */
export interface WantedHost {
  readonly host: string;
  readonly targets: readonly string[];
}

export type RecordType = "A" | "CNAME";

/**
 * One change of one host, to be made as a whole or not at all.
 *
 * - create: nothing of that name may be there
 * - replace, delete: the mark of ownership must still be there
 */
export interface RecordChange {
  readonly kind: "create" | "replace" | "delete";
  readonly host: string;
  readonly type: RecordType;
  readonly targets: readonly string[];
}

/** A TXT record says whose a record is. It has a name of its own, since nothing may stand beside a CNAME. */
export function markName(host: string, type: RecordType): string {
  return `${type.toLowerCase()}-${host.replace("*.", "any.")}`;
}

export function markOf(owner: string): string {
  return `heritage=external-dns,external-dns/owner=${owner}`;
}

export interface PlanOptions {
  readonly owner: string;
  /** Hosts elsewhere are not looked at, whoever owns them. */
  readonly domains: readonly string[];
}

/** What is to be changed so that the zone has what is wanted, and nothing of this owner besides. */
export function planRecords(
  wanted: readonly WantedHost[],
  records: readonly DnsRecord[],
  { owner, domains }: PlanOptions,
): RecordChange[] {
  const isInside = (host: string): boolean =>
    domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
  const changes: RecordChange[] = [];
  const isOwn = (host: string, type: RecordType): boolean =>
    records.some(
      ({ name, type: kind, value }) =>
        kind === "TXT" && name === markName(host, type) && value === markOf(owner),
    );
  const inside = wanted.filter(({ host, targets }) => targets.length > 0 && isInside(host));
  for (const { host, targets } of inside) {
    const type = typeOf(targets);
    const present = records.filter(({ name, type: kind }) => name === host && kind !== "TXT");
    if (present.length === 0) changes.push({ kind: "create", host, type, targets });
    else if (isOwn(host, type) && !isSame(present, type, targets))
      changes.push({ kind: "replace", host, type, targets });
  }
  const kept = new Set(inside.map(({ host, targets }) => `${typeOf(targets)} ${host}`));
  for (const { name: host, type } of records) {
    if (type === "TXT" || kept.has(`${type} ${host}`) || !isInside(host) || !isOwn(host, type)) continue;
    kept.add(`${type} ${host}`);
    changes.unshift({ kind: "delete", host, type, targets: [] });
  }
  return changes;
}

function typeOf(targets: readonly string[]): RecordType {
  return targets.every((target) => /^[\d.]+$/u.test(target)) ? "A" : "CNAME";
}

function isSame(present: readonly DnsRecord[], type: RecordType, targets: readonly string[]): boolean {
  const values = present.filter((each) => each.type === type).map(({ value }) => value);
  return values.toSorted().join() === targets.toSorted().join();
}
