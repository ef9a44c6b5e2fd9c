import { DomainName } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { ListState } from "../../ui/list-state.tsx";
import { Section } from "../../ui/section.tsx";
import { ClusterNames } from "./cluster-names.tsx";
import { hostsOfCluster, isLed, type HostHere } from "./domain-facts.ts";

/** All of them are on the pages of their DomainNames. */
const mostShown = 20;

/** The hosts whose records lead to a cluster, and those that led there until it was lost; nothing where there are none. */
export function HostsOfCluster({ cluster }: { cluster: string }): ReactNode {
  const domains = useObjects(DomainName);
  const { leading, lost } = useMemo(
    () => hostsOfCluster(domains.items.values(), cluster),
    // The map of a watch is always the same; what tells that something has changed is what holds it.
    [domains, cluster],
  );
  if (domains.failure !== undefined) {
    return (
      <Section title="Hosts">
        <ListState list={domains} isPart />
      </Section>
    );
  }
  const hosts = [...lost, ...leading];
  if (hosts.length === 0) return null;
  const rest = hosts.length - mostShown;
  return (
    <Section
      title="Hosts"
      aside={
        <span className="text-muted">
          {leading.length} {leading.length === 1 ? "leads" : "lead"} here
          {lost.length === 0 ? "" : `, ${lost.length} no longer`}
        </span>
      }
    >
      <ul aria-label="Hosts" className="space-y-1">
        {hosts.slice(0, mostShown).map((each) => (
          <Here key={`${each.domain} ${each.told.host}`} of={each} cluster={cluster} />
        ))}
      </ul>
      {rest > 0 && (
        <p className="text-muted">
          and {rest} more:{" "}
          <Link to="/domains" className="underline">
            All domain names
          </Link>
        </p>
      )}
    </Section>
  );
}

function Here({ of: { domain, told, here }, cluster }: { of: HostHere; cluster: string }): ReactNode {
  const isLeading = told.active.includes(cluster);
  const isSilent = here?.healthy === "False";
  return (
    <li className="flex flex-wrap items-baseline gap-x-2">
      <HealthMark health={here === undefined ? "Unknown" : isSilent ? "Degraded" : "Healthy"} word={false} />
      <Link
        to="/domains/$name"
        params={{ name: domain }}
        search={{ q: told.host }}
        className="font-mono wrap-anywhere"
      >
        {cleanText(told.host, 253)}
      </Link>
      {isLeading ? (
        <span className="text-muted">
          {isLed(told) ? "leads" : "is to lead"} here for <Age at={told.since} />
          {isSilent && ", and does not answer"}
        </span>
      ) : (
        <span className="text-muted">
          lost <Age at={here?.lostAt} /> ago, leads to <ClusterNames names={told.active} /> now
        </span>
      )}
    </li>
  );
}
