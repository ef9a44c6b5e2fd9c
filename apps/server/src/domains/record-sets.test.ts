import { expect, test } from "vitest";

import type { KnownCluster } from "./decide-host.ts";
import { leftOut, recordSets, recordTexts, type RecordRules } from "./record-sets.ts";

function cluster(name: string, ...addresses: string[]): KnownCluster {
  return {
    cluster: name,
    addresses,
    isHealthy: true,
    isLeaving: false,
    sinceMs: 0,
    reason: "Reachable",
    message: "",
  };
}

function texts(clusters: readonly KnownCluster[], rules: Partial<RecordRules> = {}): string[] {
  return recordTexts(
    recordSets(clusters, { policy: "single", ttl: "1m", knownRegions: new Map(), ...rules }),
  );
}

test("addresses become records of their type, each once", () => {
  expect(texts([cluster("a", "192.0.2.1", "2001:db8::1", "192.0.2.1")])).toEqual([
    "60 A 192.0.2.1",
    "60 AAAA 2001:db8::1",
  ]);
});

test("a load balancer that has only a name gets a CNAME, which stands alone", () => {
  expect(texts([cluster("a", "lb.example.net")])).toEqual(["60 CNAME lb.example.net"]);
  expect(texts([cluster("a", "lb.example.net", "192.0.2.1")])).toEqual(["60 A 192.0.2.1"]);
  expect(texts([cluster("a", "lb.example.net"), cluster("b", "192.0.2.2")], { policy: "all" })).toEqual([
    "60 A 192.0.2.2",
  ]);
});

test("of more addresses than records can have, each cluster keeps some", () => {
  const clusters = Array.from({ length: 50 }, (_, at) =>
    cluster(`c-${at}`, ...Array.from({ length: 16 }, (_, each) => `192.0.${at}.${each}`)),
  );
  const sets = recordSets(clusters, { policy: "all", ttl: "1m", knownRegions: new Map() });
  expect(sets.map(({ values }) => values.length)).toEqual([100]);
  expect(leftOut(clusters, sets)).toEqual([]);
});

test("all clusters share one set of answers", () => {
  const both = [cluster("a", "192.0.2.1"), cluster("b", "192.0.2.2")];
  expect(texts(both, { policy: "all", ttl: "5s" })).toEqual(["5 A 192.0.2.1", "5 A 192.0.2.2"]);
});

test("by weight or distance each cluster has answers of its own", () => {
  const both = [cluster("a", "192.0.2.1"), cluster("b", "lb.example.net")];
  expect(texts(both, { policy: "weighted", weights: { a: 10 } })).toEqual([
    "60 A 192.0.2.1 (a, weight 10)",
    "60 CNAME lb.example.net (b, weight 1)",
  ]);
  const knownRegions = new Map([["b", "eu-west-1"]]);
  expect(texts(both, { policy: "latency", regions: { a: "eu-central-1" }, knownRegions })).toEqual([
    "60 A 192.0.2.1 (a, eu-central-1)",
    "60 CNAME lb.example.net (b, eu-west-1)",
  ]);
  expect(() => texts(both, { policy: "latency", knownRegions })).toThrow("spec.regions");
});
