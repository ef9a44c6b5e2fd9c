import { describe, expect, test } from "vitest";

import { problemsOf } from "../testing/problems-of.ts";
import { DomainName, domainNameOf } from "./domain-name.ts";

describe("a DomainName", () => {
  const least = { domain: "example.com", provider: "rfc2136", rfc2136: { server: "192.0.2.53:5353" } };
  const aws = { domain: "example.com", provider: "route53", credential: "aws" };

  test.each<[string, object]>([
    ["below its zone", { ...least, domain: "shop.example.com", zone: "example.com" }],
    ["in every cluster", { ...least, policy: "all", clusters: ["a", "b"] }],
    ["by weight", { ...aws, policy: "weighted", weights: { a: 10, b: 0 } }],
    ["by distance", { ...aws, policy: "latency", regions: { a: "eu-central-1" } }],
    ["at a name server with an IPv6 address", { ...least, rfc2136: { server: "[2001:db8::53]:53" } }],
  ])("may be %s", (_, spec) => {
    expect(problemsOf(DomainName, spec)).toEqual([]);
  });

  test.each<[object, string[]]>([
    [{ ...least, zone: "ample.com" }, ["spec.zone must be example.com or a name that it is below"]],
    [
      { domain: "example.com", provider: "rfc2136" },
      ["spec.rfc2136 is required when spec.provider is rfc2136"],
    ],
    [
      { ...aws, credential: undefined, rfc2136: { server: "ns.example.com" } },
      [
        "spec.rfc2136 is only allowed when spec.provider is rfc2136",
        "spec.credential is required when spec.provider is route53",
      ],
    ],
    [
      { ...least, policy: "weighted" },
      [
        "spec.policy must be single or all when spec.provider is rfc2136: a plain name server gives every answer to everybody, so only Route 53 can do weighted",
      ],
    ],
    [
      { ...aws, weights: { a: 1 }, regions: { a: "eu-central-1" } },
      [
        "spec.weights is only allowed when spec.policy is weighted",
        "spec.regions is only allowed when spec.policy is latency",
      ],
    ],
    [
      { ...least, policy: "all", failover: { return: "manual" } },
      ["spec.failover.return may be manual only when spec.policy is single"],
    ],
    [
      { ...least, ttl: "1500ms", failover: { after: "2h", returnAfter: "0s" } },
      [
        "spec.ttl must be whole seconds, from 1s to 24h",
        "spec.failover.after must be whole seconds, from 1s to 1h",
        "spec.failover.returnAfter must be whole seconds, from 1s to 168h",
        "spec.failover.returnAfter must be at least spec.failover.after",
      ],
    ],
  ])("%j is refused with what is wrong", (spec, problems) => {
    expect(problemsOf(DomainName, spec)).toEqual(problems);
  });

  test("has the hosts at and below its domain, but for those of one with a longer domain", () => {
    const all = ["example.com", "shop.example.com"].map((domain) => ({ spec: { domain } }));
    const nameFor = (host: string) => domainNameOf(host, all)?.spec.domain;
    expect(nameFor("example.com")).toBe("example.com");
    expect(nameFor("*.example.com")).toBe("example.com");
    expect(nameFor("shop.example.com")).toBe("shop.example.com");
    expect(nameFor("*.shop.example.com")).toBe("shop.example.com");
    expect(nameFor("myshop.example.com")).toBe("example.com");
    expect(nameFor("myexample.com")).toBeUndefined();
  });
});
