import type { DomainName, EventRecord } from "@bowline/api";
import { serviceManifests, startDnsServer, zoneRecords, type DnsServer } from "@bowline/test-gateway";
import { expect, onTestFinished } from "vitest";

import { AgentBench } from "../../testing/agent-bench.ts";
import {
  askHost,
  commandsOf,
  definition,
  shop,
  type Bowline,
  type HostAnswer,
  type WalkedCluster,
} from "./gateway-parts.ts";
import { ServingCluster } from "./serving-cluster.ts";

const host = "shop.example.com";
const addresses = { west: "127.0.7.2", east: "127.0.7.3" };
/** Longer than a slow machine takes for an answer. */
const failover = { after: "5s", returnAfter: "10s" };
const patience = { timeout: 300_000, interval: 50 };

/** Where the host leads, and who answers there. */
interface Seen {
  readonly address: string;
  readonly answer: HostAnswer;
}

/** What was seen on the way. */
export interface FailoverWalk {
  readonly first: Seen;
  readonly lost: Seen;
  /** The DomainName, as it was told while one was lost. */
  readonly described: string;
  readonly returned: Seen;
  /** From the loss, and from the return, until BIND gave another answer. */
  readonly seconds: { readonly untilOther: number; readonly untilBack: number };
  /** Updates of the zone: since the first cluster was there until it was so again, and in all until nothing was left. */
  readonly updates: { readonly thereAndBack: number; readonly untilTheEnd: number };
  /** Reasons with how often, since the first cluster was there: one that answers late may have been left before. */
  readonly events: readonly string[];
  readonly left: readonly string[];
}

/** What has to be seen. */
export const wholeFailover = {
  first: seenIn("west"),
  lost: seenIn("east"),
  described: expect.stringMatching(
    /It leads to east, in place of west\.[^]*shop\.example\.com leads to east now, and no longer to west\. west: /u,
  ),
  returned: seenIn("west"),
  seconds: { untilOther: expect.toSatisfy(isAtLeast(5)), untilBack: expect.toSatisfy(isAtLeast(10)) },
  updates: { thereAndBack: 2, untilTheEnd: 3 },
  events: ["FailedOver 1", "Returned 1"],
  left: [],
};

function seenIn(cluster: "west" | "east"): Seen {
  const answer = { status: 200, body: `the shop in ${cluster} at ${host}` };
  return { address: addresses[cluster], answer };
}

function isAtLeast(least: number): (seconds: number) => boolean {
  return (seconds) => seconds >= least;
}

/**
 * A host in two clusters, of which one is lost and comes back: a server, an agent and an nginx for each, records that the
 * server writes to BIND, and `bowline` for everything.
 */
export async function walkThroughLoss(clusters: {
  readonly west: WalkedCluster;
  readonly east: WalkedCluster;
}): Promise<FailoverWalk> {
  const dns = await startDnsServer("example.com");
  onTestFinished(() => dns.stop());
  const bench = await AgentBench.open({
    flags: {
      "--gateways-implementations": "reference=reference-gateways",
      "--gateways-cert-manager": "cert-manager",
      "--gateways-probe-networks": "127.0.0.0/8",
      "--gateways-resolvers": `127.0.0.1:${dns.port}`,
    },
  });
  const bowline = commandsOf(bench);
  const apply = (objects: readonly object[]): Promise<string> =>
    bowline(["apply", "-f", "-"], objects.map((each) => JSON.stringify(each)).join("\n---\n"));
  const led = async (): Promise<readonly string[]> => dns.resolver.resolve4(host);
  const updates = async (): Promise<number> => (await dns.resolver.resolveSoa(dns.zone)).serial;

  await apply(clusterObjects);
  const [west, east] = await Promise.all([
    ServingCluster.join(bench, clusters.west, { name: "west", address: addresses.west }),
    ServingCluster.join(bench, clusters.east, { name: "east", address: addresses.east }),
  ]);
  await apply([...definitions, instance, ...domainObjects(dns)]);
  const exposed = ["expose", "wi/shop", "--host", host, "--service", "web", "--port", "80"];
  await bowline([...exposed, "--wait", "--timeout", "300s"]);
  // The first to have an address may have got the host before the preferred one had any.
  await expect.poll(() => steadiness(bowline), patience).toEqual(["west True", "east True"]);
  await expect.poll(led, patience).toEqual([west.address]);

  const see = async (by: ServingCluster, reason: string): Promise<Seen> => {
    await expect.poll(() => readyOf(bowline), patience).toBe(reason);
    const [address = ""] = await led();
    return { address, answer: await askHost(host, address, by.ca) };
  };
  const secondsTo = async (cluster: ServingCluster, change: Promise<void>): Promise<number> => {
    const beganMs = performance.now();
    await expect.poll(led, patience).toEqual([cluster.address]);
    const seconds = (performance.now() - beganMs) / 1_000;
    await change;
    return seconds;
  };
  const first = await see(west, "Reachable");
  const before = await updates();
  const eventsBefore = await eventCounts(bowline);
  const untilOther = await secondsTo(east, west.lose());
  const lost = await see(east, "FailedOver");
  const described = await bowline(["describe", "dn", "example-com"]);
  const untilBack = await secondsTo(west, west.comeBack());
  const returned = await see(west, "Reachable");
  // It stays there: who asks is the server, once a second or so.
  const { asked } = west.backend;
  await expect.poll(() => west.backend.asked, patience).toBeGreaterThan(asked + 10);
  const thereAndBack = (await updates()) - before;
  const events = [...(await eventCounts(bowline))]
    .map(([reason, count]) => ({ reason, count: count - (eventsBefore.get(reason) ?? 0) }))
    .filter(({ count }) => count > 0)
    .map(({ reason, count }) => `${reason} ${count}`);

  await bowline(["delete", "gateway", "shop", "--wait", "--timeout", "300s"]);
  await bowline(["delete", "dn", "example-com", "--wait", "--timeout", "300s"]);
  const records = await zoneRecords(dns);
  return {
    first,
    lost,
    described,
    returned,
    seconds: { untilOther, untilBack },
    updates: { thereAndBack, untilTheEnd: (await updates()) - before },
    events,
    left: records.filter(({ name }) => name.endsWith(host)).map(({ name }) => name),
  };
}

const clusterObjects = [
  ...Object.keys(addresses).map((name) => ({ kind: "Cluster", metadata: { name }, spec: {} })),
  {
    kind: "AccessGrant",
    metadata: { name: "both" },
    spec: {
      subjects: [{ user: "admin" }],
      clusters: { names: Object.keys(addresses) },
      kubernetes: { groups: ["system:masters"] },
    },
  },
];

const definitions = [
  definition("reference-gateways", serviceManifests["reference-gateways"]),
  definition("cert-manager", serviceManifests["cert-manager"]),
  shop,
];

const instance = {
  kind: "WorkloadInstance",
  metadata: { name: "shop" },
  spec: { definition: "shop", placement: { clusters: Object.keys(addresses) } },
};

function domainObjects({ zone, port, key }: DnsServer): object[] {
  return [
    { kind: "Credential", metadata: { name: "zone-key" }, spec: { type: "tsig", data: key } },
    {
      kind: "DomainName",
      metadata: { name: "example-com" },
      spec: {
        domain: zone,
        provider: "rfc2136",
        rfc2136: { server: `127.0.0.1:${port}` },
        credential: "zone-key",
        clusters: Object.keys(addresses),
        policy: "single",
        ttl: "5s",
        failover,
      },
    },
  ];
}

/** `west True` for each cluster of the host, in order of preference. */
async function steadiness(bowline: Bowline): Promise<string[]> {
  const { status } = JSON.parse(await bowline(["get", "dn", "example-com", "-o", "json"])) as DomainName;
  return (status.hosts[0]?.clusters ?? []).map(({ cluster, healthy }) => `${cluster} ${healthy}`);
}

/** The column REASON of the table that people look at. */
async function readyOf(bowline: Bowline): Promise<string | undefined> {
  const [header = "", row = ""] = (await bowline(["get", "dn", "-o", "wide"])).split("\n");
  const at = header.split(/ {2,}/u).indexOf("REASON");
  return row.split(/ {2,}/u)[at];
}

/** How often each reason was told, in the order of the alphabet. */
async function eventCounts(bowline: Bowline): Promise<ReadonlyMap<string, number>> {
  const printed = await bowline(["events", "dn", "example-com", "-o", "json"]);
  const { items } = JSON.parse(printed) as { items: EventRecord[] };
  const counts = new Map<string, number>();
  for (const { reason, count } of items.toSorted((one, other) => one.reason.localeCompare(other.reason))) {
    counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  return counts;
}
