import { AwsFailure } from "../aws-failure.ts";
import { childOf, textIn, type XmlElement } from "../http/read-xml.ts";
import type { XmlValue } from "../http/xml.ts";
import type { RecordSetThing } from "../world/things.ts";

/** What there can be one of. */
export function keyOf({ name, type, setIdentifier = "" }: RecordSetThing): string {
  return JSON.stringify([name, type, setIdentifier]);
}

export function isExactly(one: RecordSetThing, other: RecordSetThing): boolean {
  const facts = ({ ttl, weight, region, aliasOf, values }: RecordSetThing): string =>
    JSON.stringify([ttl, weight, region, aliasOf, values.toSorted()]);
  return facts(one) === facts(other);
}

/** A star may be written as it is, or by its number, as lists show it. */
export function readName(text: string): string {
  return text
    .toLowerCase()
    .replace(String.raw`\052`, "*")
    .replace(/\.?$/u, ".");
}

export function readRecordSet(element: XmlElement): RecordSetThing {
  const name = textIn(element, "Name") ?? "";
  const type = textIn(element, "Type") ?? "";
  const ttl = textIn(element, "TTL");
  const weight = textIn(element, "Weight");
  const region = textIn(element, "Region");
  const setIdentifier = textIn(element, "SetIdentifier");
  const alias = childOf(element, "AliasTarget");
  const values = (childOf(element, "ResourceRecords")?.children ?? []).map(
    (each) => textIn(each, "Value") ?? "",
  );
  if (name === "" || type === "") throw new AwsFailure("InvalidInput", "Name and Type are required");
  if (alias === undefined && (ttl === undefined || values.length === 0)) {
    throw new AwsFailure(
      "InvalidInput",
      "Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId]",
    );
  }
  return {
    name: readName(name),
    type,
    values,
    ...(ttl === undefined ? {} : { ttl: Number(ttl) }),
    ...(weight === undefined ? {} : { weight: Number(weight) }),
    ...(region === undefined ? {} : { region }),
    ...(setIdentifier === undefined ? {} : { setIdentifier }),
    ...(alias === undefined ? {} : { aliasOf: textIn(alias, "DNSName") ?? "" }),
  };
}

export function recordSetView(set: RecordSetThing): XmlValue {
  const { name, type, setIdentifier, weight, region, ttl, values, aliasOf } = set;
  return {
    // A star is shown by its number.
    Name: name.replace("*", String.raw`\052`),
    Type: type,
    SetIdentifier: setIdentifier,
    Weight: weight,
    Region: region,
    TTL: ttl,
    ...(aliasOf === undefined
      ? { ResourceRecords: values.map((Value) => ({ Value })) }
      : { AliasTarget: { HostedZoneId: "Z2FDTNDATAQYW2", DNSName: aliasOf, EvaluateTargetHealth: false } }),
  };
}

/** By the labels from the last to the first, then by type, as lists have them. */
export function compareSets(one: RecordSetThing, other: RecordSetThing): number {
  const [left, right] = [orderOf(one), orderOf(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}

export function orderOf({
  name,
  type,
  setIdentifier = "",
}: Pick<RecordSetThing, "name" | "type" | "setIdentifier">): string {
  return [
    ...name
      .replace("*", String.raw`\052`)
      .split(".")
      .toReversed(),
    "",
    type,
    setIdentifier,
  ].join("\0");
}
