import { AwsFailure } from "../aws-failure.ts";
import type { HostedZone, RecordSetThing } from "../world/things.ts";
import { isExactly, keyOf } from "./record-sets.ts";

export interface RecordChange {
  readonly action: string;
  readonly set: RecordSetThing;
}

const longestString = 255;

/** The records after all of the changes, in their order; the first that cannot be made is told, and none is made. */
export function changedRecords(
  { name: zone, records }: Pick<HostedZone, "name" | "records">,
  changes: readonly RecordChange[],
): Map<string, RecordSetThing> {
  if (changes.length === 0) throw new AwsFailure("InvalidInput", "Invalid XML: the batch has no changes");
  const after = new Map(records);
  for (const change of changes) apply(after, zone, change);
  return after;
}

function apply(after: Map<string, RecordSetThing>, zone: string, { action, set }: RecordChange): void {
  const { name, type } = set;
  if (name !== zone && !name.endsWith(`.${zone}`)) {
    throw invalid(`RRSet with DNS name ${name} is not permitted in zone ${zone}`);
  }
  const key = keyOf(set);
  const present = after.get(key);
  if (action === "DELETE") {
    if (present === undefined)
      throw invalid(`Tried to delete resource record set [${told(set)}] but it was not found`);
    if (!isExactly(present, set)) {
      throw invalid(
        `Tried to delete resource record set [${told(set)}] but the values provided do not match the current values`,
      );
    }
    if (name === zone && (type === "SOA" || type === "NS")) {
      throw invalid(
        `A HostedZone must contain exactly one SOA record and at least one NS record for the zone itself.`,
      );
    }
    after.delete(key);
    return;
  }
  if (action !== "CREATE" && action !== "UPSERT")
    throw new AwsFailure("InvalidInput", `Invalid Action ${action}`);
  if (action === "CREATE" && present !== undefined) {
    throw invalid(`Tried to create resource record set [${told(set)}] but it already exists`);
  }
  const others = [...after]
    .filter(([other, each]) => other !== key && each.name === name)
    .map(([, each]) => each);
  checkPlace(set, zone, others);
  checkTexts(set);
  after.set(key, set);
}

function checkPlace(set: RecordSetThing, zone: string, others: readonly RecordSetThing[]): void {
  const { name, type, setIdentifier } = set;
  if (type === "CNAME" && name === zone) {
    throw invalid(`RRSet of type CNAME with DNS name ${name} is not permitted at apex in zone ${zone}`);
  }
  if (others.some((other) => other.type !== type && [type, other.type].includes("CNAME"))) {
    throw invalid(
      `RRSet of type ${type} with DNS name ${name} is not permitted as it conflicts with other records with the same DNS name in zone ${zone}`,
    );
  }
  const routing = routingOf(set);
  if (routing !== "simple" && setIdentifier === undefined) {
    throw new AwsFailure("InvalidInput", "Invalid request: Missing field 'SetIdentifier' in Change");
  }
  if (routing === "simple" && setIdentifier !== undefined) {
    throw new AwsFailure(
      "InvalidInput",
      "Invalid request: Expected exactly one of [Weight, Region, Failover, GeoLocation]",
    );
  }
  if (others.some((other) => other.type === type && routingOf(other) !== routing)) {
    throw invalid(
      `RRSet with DNS name ${name}, type ${type}, SetIdentifier ${setIdentifier} cannot be created because a non-${routing} RRSet with the same name and type already exists.`,
    );
  }
}

function routingOf({ weight, region }: RecordSetThing): "weighted" | "latency" | "simple" {
  if (weight !== undefined) return "weighted";
  return region === undefined ? "simple" : "latency";
}

function checkTexts({ type, values }: RecordSetThing): void {
  if (type !== "TXT") return;
  for (const value of values) {
    if (!/^"[^"]*"(?: "[^"]*")*$/u.test(value)) {
      throw invalid(
        `Invalid Resource Record: FATAL problem: InvalidCharacterString (Value should be enclosed in quotation marks) encountered with '${value}'`,
      );
    }
    if (value.split('"').some((piece) => piece.length > longestString)) {
      throw invalid(
        `Invalid Resource Record: FATAL problem: CharacterStringTooLong (Value is too long) encountered with '${value}'`,
      );
    }
  }
}

function told({ name, type, setIdentifier }: RecordSetThing): string {
  const of = setIdentifier === undefined ? "" : `, set identifier='${setIdentifier}'`;
  return `name='${name}', type='${type}'${of}`;
}

function invalid(message: string): AwsFailure {
  return new AwsFailure("InvalidChangeBatch", `[${message}]`);
}
