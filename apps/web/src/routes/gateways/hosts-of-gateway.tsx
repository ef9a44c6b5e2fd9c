import { DomainName, type Gateway } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { ExternalLink } from "../../text/external-link.tsx";
import { Age } from "../../ui/age.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { ListState } from "../../ui/list-state.tsx";
import { hostAddress } from "./gateway-facts.ts";
import { ClusterNames } from "../domains/cluster-names.tsx";
import { findingHealth, isLed, recordsOfHosts, type RecordsOfHost } from "../domains/domain-facts.ts";

/** The hosts of a Gateway, each to be opened, with the DomainName that writes its records and where they lead. */
export function HostsOfGateway({ gateway: { spec } }: { gateway: Gateway }): ReactNode {
  const domains = useObjects(DomainName);
  const hosts = useMemo(() => recordsOfHosts(spec.hosts, [...domains.items.values()]), [spec.hosts, domains]);
  const isKnown = domains.phase !== "connecting" && domains.failure === undefined;
  return (
    <>
      <ul aria-label="Hosts" className="grid gap-2">
        {hosts.map((each) => (
          <li key={each.host}>
            <ExternalLink address={hostAddress(spec, each.host)} text={each.host} />
            {isKnown && <Records of={each} />}
          </li>
        ))}
      </ul>
      <ListState list={domains} what="the domain names" isPart />
    </>
  );
}

function Records({ of: { domain, told } }: { of: RecordsOfHost }): ReactNode {
  if (domain === undefined) {
    return <p className="text-muted">No DomainName writes its records.</p>;
  }
  const { name } = domain.metadata;
  return (
    <p className="flex flex-wrap items-baseline gap-x-2">
      <span>
        <span className="text-muted">Records by</span>{" "}
        <Link to="/domains/$name" params={{ name }} className="underline">
          {cleanText(name, 63)}
        </Link>
      </span>
      {told === undefined ? (
        <span className="text-muted">none is written yet</span>
      ) : (
        <>
          <HealthMark health={findingHealth(told.ready, told.reason)} word={false} />
          <span>
            {told.active.length === 0 ? "lead nowhere yet" : isLed(told) ? "lead to " : "are to lead to "}
            <ClusterNames names={told.active} />
            {told.active.length > 0 && (
              <span className="text-muted">
                {" "}
                for <Age at={told.since} />
              </span>
            )}
          </span>
          {told.reason !== "Reachable" && (
            <span className="font-mono text-xs">{cleanText(told.reason, 128)}</span>
          )}
        </>
      )}
    </p>
  );
}
