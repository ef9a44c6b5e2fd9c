import type { ApiCall } from "../api-call.ts";
import { AwsFailure } from "../aws-failure.ts";
import type { SignedRequest } from "../auth/signature.ts";
import { restAnswer, type WireAnswer } from "../http/answers.ts";
import { childOf, readXml, textIn } from "../http/read-xml.ts";
import type { XmlValue } from "../http/xml.ts";
import type { HostedZone } from "../world/things.ts";
import { changedRecords } from "./change-batch.ts";
import { compareSets, orderOf, readName, readRecordSet, recordSetView } from "./record-sets.ts";

interface Route53Operation {
  readonly action: string;
  readonly run: (call: ApiCall) => WireAnswer;
}

const mostItems = 300;

export function route53Operation({ method, path, query, body }: SignedRequest): Route53Operation {
  const [, zoneId] = /^\/2013-04-01\/hostedzone\/([^/]+)\/rrset\/?$/u.exec(path) ?? [];
  if (method === "GET" && path === "/2013-04-01/hostedzonesbyname") {
    return { action: "ListHostedZonesByName", run: (call) => listZones(query, call) };
  }
  if (zoneId !== undefined && method === "GET") {
    return { action: "ListResourceRecordSets", run: (call) => listSets(zoneId, query, call) };
  }
  if (zoneId !== undefined && method === "POST") {
    return { action: "ChangeResourceRecordSets", run: (call) => change(zoneId, body.toString("utf8"), call) };
  }
  throw new AwsFailure("InvalidAction", `This fake of AWS does not know ${method} ${path} of route53.`, 404);
}

function listZones(query: URLSearchParams, call: ApiCall): WireAnswer {
  call.allow({ action: "route53:ListHostedZonesByName", resource: "*" });
  const from = query.get("dnsname")?.toLowerCase().replace(/\.?$/u, ".") ?? "";
  const fromId = query.get("hostedzoneid") ?? "";
  const place = ({ name, id }: Pick<HostedZone, "name" | "id">): string =>
    `${orderOf({ name, type: "" })}\0${id}`;
  const zones = call.world.hostedZones.listed.toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
  const rest = zones.filter((zone) => from === "" || place(zone) >= place({ name: from, id: fromId }));
  const most = Number(query.get("maxitems") ?? "100");
  const next = rest[most];
  return restAnswer("ListHostedZonesByNameResponse", {
    HostedZones: rest.slice(0, most).map(({ id, name, isPrivate, records }) => ({
      Id: `/hostedzone/${id}`,
      Name: name,
      CallerReference: id,
      Config: { PrivateZone: isPrivate },
      ResourceRecordSetCount: records.size,
    })),
    DNSName: query.get("dnsname") ?? undefined,
    IsTruncated: next !== undefined,
    NextDNSName: next?.name,
    NextHostedZoneId: next?.id,
    MaxItems: most,
  });
}

function listSets(zoneId: string, query: URLSearchParams, call: ApiCall): WireAnswer {
  const zone = zoneFor("ListResourceRecordSets", zoneId, call);
  const name = readName(query.get("name") ?? "");
  const start = { name, type: query.get("type") ?? "", setIdentifier: query.get("identifier") ?? "" };
  const from = query.has("name") ? orderOf(start) : "";
  const rest = [...zone.records.values()].toSorted(compareSets).filter((set) => orderOf(set) >= from);
  const most = Math.min(Number(query.get("maxitems") ?? mostItems), mostItems);
  const next = rest[most];
  const following: Record<string, XmlValue> =
    next === undefined
      ? {}
      : { NextRecordName: next.name, NextRecordType: next.type, NextRecordIdentifier: next.setIdentifier };
  return restAnswer("ListResourceRecordSetsResponse", {
    ResourceRecordSets: rest.slice(0, most).map(recordSetView),
    IsTruncated: next !== undefined,
    ...following,
    MaxItems: most,
  });
}

function change(zoneId: string, source: string, call: ApiCall): WireAnswer {
  const zone = zoneFor("ChangeResourceRecordSets", zoneId, call);
  const batch = childOf(readXml(source), "ChangeBatch");
  const elements = (batch === undefined ? undefined : childOf(batch, "Changes"))?.children ?? [];
  const changes = elements.map((element) => {
    const set = childOf(element, "ResourceRecordSet");
    if (set === undefined)
      throw new AwsFailure("InvalidInput", "Invalid XML: a change without ResourceRecordSet");
    return { action: textIn(element, "Action") ?? "", set: readRecordSet(set) };
  });
  zone.records = changedRecords(zone, changes);
  return restAnswer("ChangeResourceRecordSetsResponse", {
    ChangeInfo: {
      Id: `/change/${call.world.newId("C").toUpperCase()}`,
      Status: "PENDING",
      SubmittedAt: new Date(call.world.clock.now()).toISOString(),
    },
  });
}

function zoneFor(action: string, id: string, call: ApiCall): HostedZone {
  call.allow({ action: `route53:${action}`, resource: `arn:aws:route53:::hostedzone/${id}` });
  const zone = call.world.hostedZones.peek(id);
  if (zone !== undefined) return zone;
  throw new AwsFailure("NoSuchHostedZone", `No hosted zone found with ID: ${id}`, 404);
}
