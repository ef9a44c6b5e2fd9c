import { domainNameOf, type DomainName, type Gateway } from "@bowline/api";

/** So long whoever comes by a DNS record still finds the routes. */
const patienceMs = 60_000;

export interface RecordWait {
  readonly domains: readonly DomainName[];
  /** Those that have one of its hosts, too. */
  readonly gateways: readonly Gateway[];
  readonly nowMs: number;
}

/** The hosts of a Gateway that goes whose records a DomainName has yet to remove. */
export function hostsWithRecords(
  { metadata, spec }: Gateway,
  { domains, gateways, nowMs }: RecordWait,
): string[] {
  const { name, deletedAt } = metadata;
  if (deletedAt === undefined || nowMs - Date.parse(deletedAt) >= patienceMs) return [];
  const staying = gateways.filter(
    (other) => other.metadata.name !== name && other.metadata.deletedAt === undefined,
  );
  return spec.hosts.filter((host) => {
    if (staying.some((other) => other.spec.hosts.includes(host))) return false;
    const told = domainNameOf(host, domains)?.status.hosts.find((each) => each.host === host);
    return told?.place !== undefined;
  });
}
