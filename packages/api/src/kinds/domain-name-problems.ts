import { parseDurationMs } from "@bowline/core";

import type { Problem } from "../validate/report.ts";
import type { DomainNameSpec } from "./domain-name.ts";
import { isInDomain } from "./host-rules.ts";

/** What is wrong with a DomainName as a whole, though each of its fields is right. */
export function domainNameProblems(domain: DomainNameSpec): Problem[] {
  return [...providerProblems(domain), ...policyProblems(domain), ...timeProblems(domain)];
}

function providerProblems({
  domain,
  zone = domain,
  provider,
  rfc2136,
  route53,
  credential,
}: DomainNameSpec): Problem[] {
  const problems: Problem[] = [];
  if (!isInDomain(domain, zone))
    problems.push({ path: "spec.zone", message: `must be ${domain} or a name that it is below` });
  if (provider === "rfc2136" && rfc2136 === undefined)
    problems.push({ path: "spec.rfc2136", message: "is required when spec.provider is rfc2136" });
  if (provider !== "rfc2136" && rfc2136 !== undefined)
    problems.push({ path: "spec.rfc2136", message: "is only allowed when spec.provider is rfc2136" });
  if (provider !== "route53" && route53 !== undefined)
    problems.push({ path: "spec.route53", message: "is only allowed when spec.provider is route53" });
  if (provider === "route53" && credential === undefined)
    problems.push({ path: "spec.credential", message: "is required when spec.provider is route53" });
  return problems;
}

function policyProblems({ provider, policy, weights, regions, failover: given }: DomainNameSpec): Problem[] {
  const problems: Problem[] = [];
  if ((policy === "weighted" || policy === "latency") && provider !== "route53") {
    const message = `must be single or all when spec.provider is ${provider}: a plain name server gives every answer to everybody, so only Route 53 can do ${policy}`;
    problems.push({ path: "spec.policy", message });
  }
  if (weights !== undefined && policy !== "weighted")
    problems.push({ path: "spec.weights", message: "is only allowed when spec.policy is weighted" });
  if (regions !== undefined && policy !== "latency")
    problems.push({ path: "spec.regions", message: "is only allowed when spec.policy is latency" });
  if (given.return === "manual" && policy !== "single")
    problems.push({
      path: "spec.failover.return",
      message: "may be manual only when spec.policy is single",
    });
  return problems;
}

const hourMs = 60 * 60_000;

function timeProblems({ ttl, failover: { after, returnAfter } }: DomainNameSpec): Problem[] {
  return [
    ...outside("spec.ttl", ttl, 24 * hourMs),
    ...outside("spec.failover.after", after, hourMs),
    ...outside("spec.failover.returnAfter", returnAfter, 7 * 24 * hourMs),
    ...((parseDurationMs(returnAfter) ?? 0) >= (parseDurationMs(after) ?? 0)
      ? []
      : [{ path: "spec.failover.returnAfter", message: "must be at least spec.failover.after" }]),
  ];
}

function outside(path: string, value: string, mostMs: number): Problem[] {
  const ms = parseDurationMs(value) ?? 0;
  if (ms >= 1_000 && ms <= mostMs && ms % 1_000 === 0) return [];
  return [{ path, message: `must be whole seconds, from 1s to ${mostMs / hourMs}h` }];
}
