import { plainAddress, plainName, refused, textPieces } from "@bowline/dns/model";
import type { RecordSet } from "@bowline/dns";

import type { OperationOutput } from "../eks/aws/aws-api.ts";

/** A set as Route 53 tells it, and as it has to be told to delete it. */
export type AwsRecordSet = NonNullable<
  OperationOutput<"route53:ListResourceRecordSets">["ResourceRecordSets"]
>[number];

const heaviest = 255;
const longestId = 128;

/** Without the dot at its end; Route 53 writes a star and other characters by their octal number. */
export function nameOf({ Name = "" }: AwsRecordSet): string {
  return plainName(unescaped(Name));
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/gu, (_, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 8)),
  );
}

export function isAddressSet(set: AwsRecordSet): set is AwsRecordSet & { readonly Type: RecordSet["type"] } {
  return set.Type === "A" || set.Type === "AAAA" || set.Type === "CNAME";
}

/** An alias has no values and no TTL of its own: it is told by where it leads. */
export function fromAws(set: AwsRecordSet & { readonly Type: RecordSet["type"] }): RecordSet {
  const { Type: type, TTL = 0, ResourceRecords = [], AliasTarget, SetIdentifier, Weight, Region } = set;
  const alias = AliasTarget === undefined ? [] : [`alias of ${plainName(AliasTarget.DNSName ?? "")}`];
  const values = ResourceRecords.map(({ Value = "" }) => plainValue(type, Value)).toSorted();
  const variant = {
    ...(Weight === undefined ? {} : { weight: Weight }),
    ...(Region === undefined ? {} : { region: Region }),
  };
  return {
    type,
    values: [...alias, ...values],
    ttlSeconds: TTL,
    ...(SetIdentifier === undefined ? {} : { variant: { id: SetIdentifier, ...variant } }),
  };
}

function plainValue(type: RecordSet["type"], value: string): string {
  if (type === "AAAA") return plainAddress(value, 6) ?? value;
  return type === "CNAME" ? plainName(value) : value;
}

export function toAws(host: string, { type, values, ttlSeconds, variant }: RecordSet): AwsRecordSet {
  const routing =
    variant === undefined
      ? {}
      : {
          SetIdentifier: variant.id,
          ...(variant.weight === undefined ? {} : { Weight: variant.weight }),
          // Of the regions that AWS has; it refuses others.
          ...(variant.region === undefined
            ? {}
            : { Region: variant.region as NonNullable<AwsRecordSet["Region"]> }),
        };
  return {
    Name: host,
    Type: type,
    TTL: ttlSeconds,
    ResourceRecords: values.map((Value) => ({ Value })),
    ...routing,
  };
}

export function textToAws(name: string, text: string, ttlSeconds: number): AwsRecordSet {
  const Value = textPieces(text)
    .map((piece) => `"${piece}"`)
    .join(" ");
  return { Name: name, Type: "TXT", TTL: ttlSeconds, ResourceRecords: [{ Value }] };
}

/** The texts of records of type TXT, each of its pieces put together. */
export function textsOf(sets: readonly AwsRecordSet[]): string[] {
  return sets
    .filter(({ Type }) => Type === "TXT")
    .flatMap(({ ResourceRecords = [] }) => ResourceRecords)
    .map(({ Value = "" }) => {
      const pieces = Array.from(Value.matchAll(/"((?:[^"\\]|\\.)*)"/gsu), ([, piece = ""]) => piece);
      return unescaped(pieces.join("")).replaceAll(/\\(.)/gsu, "$1");
    });
}

/** `InvalidArgument` for sets that one type cannot have together. They have been through `checkSets`. */
export function checkVariants(host: string, sets: readonly RecordSet[]): void {
  for (const { type, variant } of sets) {
    const same = sets.filter((set) => set.type === type);
    if (variant === undefined) {
      if (same.length > 1)
        throw refused(`${host} would have several sets of type ${type}: each needs a variant.`);
      continue;
    }
    const { id, weight, region } = variant;
    if (id.length === 0 || id.length > longestId) {
      throw refused(`A variant of ${host} needs an id of 1 to ${longestId} characters.`);
    }
    if ((weight === undefined) === (region === undefined)) {
      throw refused(`The variant ${id} of ${host} needs either a weight or a region.`);
    }
    if (weight !== undefined && !(Number.isInteger(weight) && weight >= 0 && weight <= heaviest)) {
      throw refused(
        `The weight of the variant ${id} of ${host} must be a whole number from 0 to ${heaviest}.`,
      );
    }
    if (same.some((set) => (set.variant?.weight === undefined) !== (weight === undefined))) {
      throw refused(`The variants of type ${type} of ${host} must all have weights, or all have regions.`);
    }
    if (same.filter((set) => set.variant?.id === id).length > 1) {
      throw refused(`${host} would have two variants ${id} of type ${type}.`);
    }
  }
}
