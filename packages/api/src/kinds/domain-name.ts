import type { Static } from "typebox";

import { statusOf } from "../bodies/status.ts";
import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import {
  choice,
  dateTime,
  integer,
  line,
  list,
  map,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import { dnsLabel, duration, singleLine, type TextRule } from "../schema/text-rule.ts";
import { domainNameProblems } from "./domain-name-problems.ts";
import { domainName, hostName, isInDomain } from "./host-rules.ts";

const nameServer: TextRule = {
  pattern: "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?)(:[0-9]{1,5})?$",
  expects: "a host or an address such as ns.example.com or 192.0.2.53, with a port if it is not 53",
  minLength: 1,
  maxLength: 260,
};

const hostedZone: TextRule = {
  pattern: "^[A-Z0-9]+$",
  expects: "the id of a hosted zone such as Z0123456789ABC",
  minLength: 1,
  maxLength: 32,
};

const region: TextRule = {
  pattern: "^[a-z]{2}(-[a-z]+)+-[0-9]$",
  expects: "a region of AWS such as eu-central-1",
  maxLength: 32,
};

const failover = object("When another cluster takes over, and when the preferred one comes back.", {
  after: withDefault(
    text("A cluster that has not answered for so long without a break is lost.", duration),
    "30s",
  ),
  returnAfter: withDefault(
    text("One that has answered for so long without a break may come back.", duration),
    "5m",
  ),
  return: withDefault(
    choice(
      "Whether the preferred cluster comes back by itself, or stays out until somebody changes spec.clusters.",
      ["automatic", "manual"],
    ),
    "automatic",
  ),
});

const maxClusters = 50;

const spec = object("A domain whose DNS records the server writes.", {
  domain: text(
    "The hosts of Gateways that are this name, or below it, get their records by this object; where several fit, by that with the longest.",
    domainName,
  ),
  zone: optional(text("The zone that has the records; spec.domain if missing.", domainName)),
  provider: choice("How records are written: dynamic updates of a name server (RFC 2136), or Route 53.", [
    "rfc2136",
    "route53",
  ]),
  rfc2136: optional(
    object("Settings of the provider `rfc2136`.", {
      server: text("The primary name server of the zone.", nameServer),
    }),
  ),
  route53: optional(
    object("Settings of the provider `route53`.", {
      hostedZone: optional(
        text("Id of the hosted zone; missing for the only public one with the name of the zone.", hostedZone),
      ),
    }),
  ),
  credential: optional(
    text(
      "Name of the Credential: of type `tsig` for rfc2136, missing where updates are not signed; of type `aws` for route53.",
      dnsLabel,
    ),
  ),
  clusters: optional(
    list(
      "Names of Clusters that records may lead to, the preferred one first; missing for all that the Gateways are in, none of them preferred.",
      text("Name of a Cluster.", dnsLabel),
      { minItems: 1, maxItems: maxClusters, unique: true },
    ),
  ),
  policy: withDefault(
    choice(
      "Where the records of a host lead: to one cluster, and to another when that is lost; to all that answer; to those by weight, or by the distance of who asks.",
      ["single", "all", "weighted", "latency"],
    ),
    "single",
  ),
  weights: optional(
    map(
      "How much of the requests each cluster gets, for the policy weighted; 1 for those not named.",
      integer("A weight; 0 for none while another has more.", { minimum: 0, maximum: 255 }),
      { keys: dnsLabel, minProperties: 1, maxProperties: maxClusters },
    ),
  ),
  regions: optional(
    map(
      "The region of AWS that each cluster is next to, for the policy latency; missing for that in its spec.",
      text("A region.", region),
      { keys: dnsLabel, minProperties: 1, maxProperties: maxClusters },
    ),
  ),
  ttl: withDefault(text("How long resolvers may remember a record.", duration), "60s"),
  failover: withDefault(failover, { after: "30s", returnAfter: "5m", return: "automatic" }),
  deletionPolicy: optional(
    choice(
      "What becomes of the records when this object, or a host, goes; orphan leaves them there, delete if missing.",
      ["delete", "orphan"],
    ),
  ),
});
export type DomainNameSpec = Static<typeof spec>;

const statuses = ["True", "False", "Unknown"] as const;

const clusterStatus = object("How a cluster does for the host.", {
  cluster: text("Name of the Cluster.", dnsLabel),
  healthy: choice("Whether the host answers there, asked at its addresses.", ["True", "False"]),
  since: dateTime("Since when that is so without a break, as far as it was looked at."),
  lostAt: optional(dateTime("When it was taken out of the records; missing for one that is not.")),
  reason: line("Why, as one word for programs.", singleLine, 128),
  message: text("Why, for people.", { maxLength: 1024 }),
  addresses: withDefault(
    list("The last addresses of its entry that are known.", line("An address.", singleLine), {
      maxItems: 16,
    }),
    [],
  ),
});

const placeFields = {
  provider: choice("How.", ["rfc2136", "route53"]),
  zone: text("The zone.", domainName),
  server: optional(text("The name server.", nameServer)),
  hostedZone: optional(text("The hosted zone.", hostedZone)),
  credential: optional(text("Name of the Credential.", dnsLabel)),
};

const switchReasons = ["Chosen", "FailedOver", "Returned", "Left", "Joined"] as const;

const switching = object("A change of where its records lead that is told when they have been written.", {
  reason: choice("Why they lead elsewhere.", [...switchReasons]),
  from: list("The clusters that they led to before.", text("Name of a Cluster.", dnsLabel), {
    maxItems: maxClusters,
  }),
  message: text("What was found of the cluster that was lost.", { maxLength: 2_048 }),
});

const maxHosts = 500;
const maxOldPlaces = 8;

const hostStatus = object("How one host does.", {
  host: text("The host name.", hostName),
  ready: choice("Whether its records are there and lead to clusters that answer.", [...statuses]),
  reason: line("Why, as one word for programs.", singleLine, 128),
  message: text("Why, for people.", { maxLength: 1024 }),
  active: withDefault(
    list("The clusters that its records are to lead to.", text("Name of a Cluster.", dnsLabel), {
      maxItems: maxClusters,
    }),
    [],
  ),
  since: dateTime("Since when it is these."),
  records: withDefault(
    list("Its records as they were written last: TTL, type, value.", line("A record.", singleLine, 512), {
      maxItems: 1_000,
    }),
    [],
  ),
  place: optional(object("Where its records were written: from there they are removed.", placeFields)),
  oldPlaces: optional(
    list(
      "Where its records were before: they are removed there when they are written where they are to be now.",
      object("A zone that it leaves.", placeFields),
      { minItems: 1, maxItems: maxOldPlaces },
    ),
  ),
  switching: optional(switching),
  clusters: withDefault(
    list("The clusters that may serve it.", clusterStatus, { maxItems: maxClusters, uniqueBy: "cluster" }),
    [],
  ),
});

const count = { minimum: 0, maximum: 100_000 };

const status = statusOf({
  hosts: withDefault(
    list("Its hosts, those in trouble first.", hostStatus, { maxItems: maxHosts, uniqueBy: "host" }),
    [],
  ),
  lookedAt: optional(dateTime("When clusters were looked at last, of what was written down.")),
  hostCount: withDefault(integer("How many hosts it has.", count), 0),
  readyCount: withDefault(
    integer("How many of them have records that lead to clusters that answer.", count),
    0,
  ),
});

/** What is more than this is told, and gets no records. */
export const domainNameLimits = { hosts: maxHosts, clusters: maxClusters, oldPlaces: maxOldPlaces } as const;

export const DomainName = defineKind({
  kind: "DomainName",
  plural: "domainnames",
  shortNames: ["dn"],
  description: "DNS records for the hosts of Gateways in a domain, and which clusters they lead to.",
  spec,
  status,
  columns: [
    { header: "DOMAIN", path: "spec.domain" },
    { header: "POLICY", path: "spec.policy" },
    { header: "HOSTS", path: "status.readyCount", of: "status.hostCount" },
    { header: "READY", path: "status.conditions.Ready" },
    { header: "PROVIDER", path: "spec.provider", wide: true },
    { header: "REASON", path: "status.conditions.Ready.reason", wide: true },
    { header: "MESSAGE", path: "status.conditions.Ready.message", wide: true },
  ],
  filterable: [
    "spec.domain",
    "spec.provider",
    "spec.credential",
    "spec.clusters[]",
    "spec.policy",
    "status.conditions.Ready",
  ],
  references: [
    { field: "spec.clusters[]", kind: "Cluster", cascade: "remove" },
    { field: "spec.credential", kind: "Credential", cascade: "refuse" },
  ],
  conditions: { Ready: "All of its hosts have records that lead to clusters that answer." },
  finalizers: ["bowline.dev/remove-records"],
  exclusive: {
    field: "spec.domain",
    conflict: ({ domain }, other) =>
      domain === other.domain ? { path: "spec.domain", message: `is taken: ${domain}` } : undefined,
  },
  check: domainNameProblems,
});
export type DomainName = ObjectOf<typeof DomainName>;

/** The one that writes the records of a host: that with the longest domain. */
export function domainNameOf<One extends { readonly spec: Pick<DomainNameSpec, "domain"> }>(
  host: string,
  all: readonly One[],
): One | undefined {
  const fitting = all.filter(({ spec: { domain } }) => isInDomain(host, domain));
  return fitting.toSorted((one, other) => other.spec.domain.length - one.spec.domain.length)[0];
}
