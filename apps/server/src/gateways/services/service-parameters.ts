import type { WorkloadDefinition } from "@bowline/api";

import { serviceNamespace, type SupportService } from "./support-service.ts";

export interface KnownValues {
  readonly service: SupportService;
  /** Names the installation of Bowline. */
  readonly installation: string;
  /** Of all Gateways that need the service. */
  readonly hosts: readonly string[];
}

/** As long as the value of a parameter may be. */
const maxValueLength = 4_096;

/** Values for those parameters of a definition that Bowline knows; what it does not declare is not given. */
export function serviceParameters(
  { parameters }: WorkloadDefinition["spec"],
  { service, installation, hosts }: KnownValues,
): Record<string, string> {
  const known = new Map([
    ["owner", `bowline-${installation}-${service.cluster}`],
    ["domains", domainFilters(hosts).join(",")],
    ["namespace", serviceNamespace(service)],
    ...(service.class === undefined ? [] : [["class", service.class] as const]),
  ]);
  return Object.fromEntries(
    parameters.flatMap(({ name }) => {
      const value = known.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/**
 * The domains that hosts are in, as few as cover them: a filter for a domain counts for everything below it. Where they
 * are too many to be told, their parents are, but never a whole top-level domain.
 */
export function domainFilters(hosts: readonly string[], maxLength = maxValueLength): string[] {
  let domains = outermost(hosts.map((host) => host.replace(/^\*\./u, "")));
  for (let text = domains.join(","); text.length > maxLength; text = domains.join(",")) {
    const wider = outermost(domains.map(parentOf));
    if (wider.join(",") === text) return domains;
    domains = wider;
  }
  return domains;
}

function outermost(domains: readonly string[]): string[] {
  const all = new Set(domains);
  return [...all].filter((domain) => !parentsOf(domain).some((parent) => all.has(parent))).toSorted();
}

function parentsOf(domain: string): string[] {
  const labels = domain.split(".");
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join("."));
}

function parentOf(domain: string): string {
  const labels = domain.split(".");
  return labels.length > 2 ? labels.slice(1).join(".") : domain;
}
