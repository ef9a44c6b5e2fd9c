import { checkName, plainName, refused } from "./host-name.ts";
import { plainAddress } from "./ip-address.ts";
import type { HostRecords, RecordSet } from "./zone-writer.ts";

/** That of RFC 2181; resolvers cut it to days. */
const longestTtlSeconds = 2 ** 31 - 1;
const mostValues = 100;

/** The sets in the form in which they are compared; `InvalidArgument` for what a zone cannot have at the host. */
export function checkSets(host: string, zone: string, sets: readonly RecordSet[]): RecordSet[] {
  if (sets.length === 0) throw refused(`${host} would be left without records; take them away instead.`);
  const types = new Set(sets.map(({ type }) => type));
  if (types.has("CNAME") && host === zone) {
    throw refused(
      `${host} is the apex of its zone, where a CNAME may not stand; lead it to addresses, or choose a host below.`,
    );
  }
  if (types.has("CNAME") && types.size > 1)
    throw refused(`A CNAME of ${host} cannot have other records beside it.`);
  return sets.map((set) => checkSet(host, set));
}

function checkSet(host: string, set: RecordSet): RecordSet {
  const { type, ttlSeconds } = set;
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 0 || ttlSeconds > longestTtlSeconds) {
    throw refused(`The TTL of ${host} must be a whole number of seconds, not ${ttlSeconds}.`);
  }
  const values = [...new Set(set.values.map((value) => plainValue(host, type, value)))].toSorted();
  if (values.length === 0 || values.length > mostValues) {
    throw refused(
      `The records ${type} of ${host} must have 1 to ${mostValues} values, not ${values.length}.`,
    );
  }
  if (type === "CNAME" && values.length > 1) throw refused(`The CNAME of ${host} can lead to one name only.`);
  return { ...set, values };
}

function plainValue(host: string, type: RecordSet["type"], value: string): string {
  if (type === "CNAME") return checkName(`The target of ${host}`, value);
  const address = plainAddress(value, type === "A" ? 4 : 6);
  if (address !== undefined) return address;
  throw refused(
    `"${value}" is not an address of IPv${type === "A" ? 4 : 6}, as a record ${type} of ${host} needs.`,
  );
}

/** Whether both are the same records, in whatever order. Both have been through `checkSets` or come from a server. */
export function areSame(one: readonly RecordSet[], other: readonly RecordSet[]): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf(sets: readonly RecordSet[]): string {
  const keys = sets.map(({ type, values, ttlSeconds, variant: { id, weight, region } = { id: "" } }) =>
    JSON.stringify([type, values.map(plainName).toSorted(), ttlSeconds, id, weight, region]),
  );
  return keys.toSorted().join("\n");
}

/** What stands at a host, for a person: `A 192.0.2.1, AAAA 2001:db8::1, marked as that of 7f…/web`. */
export function describeRecords({ sets, owner }: HostRecords): string {
  const records = sets.flatMap(({ type, values }) => values.map((value) => `${type} ${value}`));
  const mark = owner === undefined ? "without a mark" : `marked as that of ${owner}`;
  return [...(records.length === 0 ? ["no address"] : records), mark].join(", ");
}
