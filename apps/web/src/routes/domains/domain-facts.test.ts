import type { DomainName } from "@bowline/api";
import { describe, expect, test } from "vitest";

import {
  answerWords,
  domainHealth,
  domainRank,
  filteredHosts,
  hostsOfCluster,
  isLed,
  leadsTo,
  providerWords,
  readyFinding,
  recordsOfHosts,
  sortedHosts,
  type DomainHost,
} from "./domain-facts.ts";

const at = "2026-11-19T10:00:00.000Z";

interface Found {
  readonly ready?: DomainHost["ready"];
  readonly reason?: string;
  readonly active?: readonly string[];
  readonly clusters?: DomainHost["clusters"];
}

function hostWith(host: string, { ready = "True", reason = "Reachable", ...found }: Found = {}): DomainHost {
  const { active = ["east"], clusters = [] } = found;
  return { host, ready, reason, message: "", active: [...active], since: at, records: [], clusters };
}

function inCluster(cluster: string, healthy: "True" | "False", lostAt?: string): DomainHost["clusters"][0] {
  const lost = lostAt === undefined ? {} : { lostAt };
  return { cluster, healthy, since: at, reason: "NotReachable", message: "", addresses: [], ...lost };
}

interface Told {
  readonly domain?: string;
  readonly status?: DomainHost["ready"];
  readonly reason?: string;
  readonly hosts?: readonly DomainHost[];
}

function domainWith(
  name: string,
  { domain = "example.com", status, reason = "Reachable", hosts = [] }: Told,
) {
  const ready = {
    type: "Ready",
    reason,
    message: "It is so.",
    lastTransitionTime: at,
    observedGeneration: 1,
  };
  return {
    apiVersion: "bowline.dev/v1",
    kind: "DomainName",
    metadata: {
      name,
      id: name,
      resourceVersion: "1",
      generation: 1,
      createdAt: at,
      updatedAt: at,
      labels: {},
      annotations: {},
      finalizers: [],
    },
    spec: {
      domain,
      provider: "rfc2136",
      rfc2136: { server: "ns.example.com" },
      policy: "single",
      ttl: "60s",
      failover: { after: "30s", returnAfter: "5m", return: "automatic" },
    },
    status: {
      conditions: status === undefined ? [] : [{ ...ready, status }],
      hosts: [...hosts],
      hostCount: hosts.length,
      readyCount: 0,
    },
  } satisfies DomainName;
}

test("health is that of its condition; one that nobody has looked at is on its way, and so is one that goes", () => {
  expect(domainHealth(domainWith("a", {}))).toBe("Progressing");
  expect(domainHealth(domainWith("a", { status: "True" }))).toBe("Healthy");
  expect(domainHealth(domainWith("a", { status: "False", reason: "RecordForeign" }))).toBe("Degraded");
  expect(domainHealth(domainWith("a", { status: "False", reason: "NoHealthyCluster" }))).toBe("Degraded");
  expect(domainHealth(domainWith("a", { status: "False", reason: "NoAddress" }))).toBe("Missing");
  expect(domainHealth(domainWith("a", { status: "Unknown" }))).toBe("Unknown");
  const gone = domainWith("a", { status: "True" });
  expect(domainHealth({ ...gone, metadata: { ...gone.metadata, deletedAt: at } })).toBe("Progressing");
});

test("why is told of what is in trouble, and of what answers from elsewhere", () => {
  const none = { reason: "", message: "" };
  expect(readyFinding(domainWith("a", {}))).toEqual(none);
  expect(readyFinding(domainWith("a", { status: "True" }))).toEqual(none);
  expect(readyFinding(domainWith("a", { status: "True", reason: "NoHosts" }))).toEqual(none);
  expect(readyFinding(domainWith("a", { status: "True", reason: "FailedOver" }))).toMatchObject({
    reason: "FailedOver",
  });
  expect(readyFinding(domainWith("a", { status: "False", reason: "toString" }))).toMatchObject({
    reason: "toString",
  });
});

test("domains in trouble come first, then those that are led elsewhere", () => {
  const domains = [
    domainWith("well", { status: "True" }),
    domainWith("elsewhere", { status: "True", reason: "FailedOver" }),
    domainWith("new", {}),
    domainWith("waiting", { status: "False", reason: "RecordPending" }),
    domainWith("lost", { status: "False", reason: "NoHealthyCluster" }),
  ];
  const sorted = domains.toSorted((one, other) => domainRank(one) - domainRank(other));
  expect(sorted.map(({ metadata }) => metadata.name)).toEqual([
    "lost",
    "waiting",
    "new",
    "elsewhere",
    "well",
  ]);
});

describe("hosts", () => {
  const hosts = [
    hostWith("b.example.com"),
    hostWith("a.example.com"),
    hostWith("moved.example.com", { reason: "FailedOver", active: ["west"] }),
    hostWith("waits.example.com", { ready: "False", reason: "NoAddress", active: [] }),
    hostWith("down.example.com", { ready: "False", reason: "NoHealthyCluster", active: ["east"] }),
    hostWith("z.example.com", { ready: "False", reason: "RecordForeign", active: ["north"] }),
  ];

  test("those in trouble come first, then those that are led elsewhere, then by name", () => {
    expect(sortedHosts(domainWith("example-com", { hosts })).map(({ host }) => host)).toEqual([
      "down.example.com",
      "z.example.com",
      "waits.example.com",
      "moved.example.com",
      "a.example.com",
      "b.example.com",
    ]);
  });

  test.each([
    ["", 6],
    ["A.Example", 1],
    ["west", 1],
    ["east no", 1],
    ["failedover", 1],
    ["nothing", 0],
  ])("a filter finds them by name, reason and cluster: %j", (filter, count) => {
    expect(filteredHosts(hosts, filter)).toHaveLength(count);
  });

  test("each cluster is told with how many lead there, and not those that are yet to", () => {
    expect(leadsTo(domainWith("example-com", { hosts }))).toEqual([
      ["east", 3],
      ["west", 1],
    ]);
    expect(leadsTo(domainWith("example-com", {}))).toEqual([]);
    expect(isLed(hostWith("a.example.com"))).toBe(true);
    expect(isLed(hostWith("a.example.com", { ready: "False", reason: "RecordPending" }))).toBe(false);
    expect(isLed(hostWith("a.example.com", { ready: "False", reason: "NoAddress", active: [] }))).toBe(false);
  });
});

test("the records of a host are those of the longest domain, whether or not it has looked", () => {
  const shop = hostWith("shop.example.com", { active: ["east"] });
  const whole = domainWith("example-com", { hosts: [shop, hostWith("a.eu.example.com")] });
  const part = domainWith("eu", { domain: "eu.example.com" });
  const found = recordsOfHosts(
    ["shop.example.com", "a.eu.example.com", "*.eu.example.com", "example.org"],
    [whole, part],
  );
  expect(found.map(({ host, domain, told }) => [host, domain?.metadata.name, told?.active])).toEqual([
    ["shop.example.com", "example-com", ["east"]],
    ["a.eu.example.com", "eu", undefined],
    ["*.eu.example.com", "eu", undefined],
    ["example.org", undefined, undefined],
  ]);
});

test("a cluster has the hosts that lead to it, and those that it has lost and does not answer for", () => {
  const hosts = [
    hostWith("a.example.com", { active: ["east"], clusters: [inCluster("east", "True")] }),
    hostWith("b.example.com", {
      ready: "False",
      reason: "NotReachable",
      active: ["east", "west"],
      clusters: [inCluster("east", "False")],
    }),
    hostWith("lost.example.com", { active: ["west"], clusters: [inCluster("east", "False", at)] }),
    // One whose turn is over, and that answers.
    hostWith("kept.example.com", { active: ["west"], clusters: [inCluster("east", "True", at)] }),
    hostWith("never.example.com", { active: ["west"], clusters: [inCluster("east", "False")] }),
    hostWith("other.example.com", { active: ["west"] }),
  ];
  const { leading, lost } = hostsOfCluster([domainWith("example-com", { hosts })], "east");
  expect(leading.map(({ told, domain, here }) => [told.host, domain, here?.healthy])).toEqual([
    ["b.example.com", "example-com", "False"],
    ["a.example.com", "example-com", "True"],
  ]);
  expect(lost.map(({ told }) => told.host)).toEqual(["lost.example.com"]);
});

test("who is told of the records is named", () => {
  const { spec } = domainWith("example-com", {});
  expect(providerWords(spec)).toBe("dynamic updates (RFC 2136) of ns.example.com");
  const { rfc2136: _, ...rest } = spec;
  expect(providerWords({ ...rest, provider: "route53" })).toBe("Route 53, the public zone of that name");
  expect(providerWords({ ...rest, provider: "route53", route53: { hostedZone: "Z1" } })).toBe(
    "Route 53, hosted zone Z1",
  );
});

test.each([
  ["True", "Reachable", "has answered", true],
  ["True", "AddressNotAllowed", "has been ready, by what its agent says,", true],
  ["False", "NotReachable", "has not answered", true],
  ["False", "ClassMissing", "cannot be asked", false],
  ["False", "AgentDisconnected", "cannot be asked", false],
  ["False", "Leaving", "is being left", false],
] as const)("of a cluster that is %s %s it is said that it %s", (healthy, reason, words, isTimed) => {
  expect(answerWords({ healthy, reason })).toEqual({ words, isTimed });
});
