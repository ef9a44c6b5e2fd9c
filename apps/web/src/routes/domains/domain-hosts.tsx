import type { DomainName } from "@bowline/api";
import { useMemo, useState, type ReactNode } from "react";

import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/section.tsx";
import { FilteredEmpty } from "../../ui/states.tsx";
import { FilterField } from "../../ui/text-field.tsx";
import { filteredHosts, sortedHosts } from "./domain-facts.ts";
import { HostCard } from "./host-card.tsx";

/** There may be 500, each in 50 clusters. */
const hostsAtOnce = 20;

interface DomainHostsProps {
  readonly domain: DomainName;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

/** Its hosts, those in trouble first. */
export function DomainHosts({ domain, filter, onFilter }: DomainHostsProps): ReactNode {
  const [most, setMost] = useState(hostsAtOnce);
  const hosts = useMemo(() => sortedHosts(domain), [domain]);
  const found = useMemo(() => filteredHosts(hosts, filter), [hosts, filter]);
  const { hostCount, readyCount } = domain.status;
  const untold = hostCount - hosts.length;
  const rest = found.length - most;
  return (
    <Section
      title="Hosts"
      aside={
        <span className="text-muted">
          {readyCount} of {hostCount} lead to clusters that answer
        </span>
      }
    >
      {hosts.length === 0 ? (
        <p className="text-muted">No Gateway has a host in it yet, or nobody has looked.</p>
      ) : (
        <div className="mb-3">
          <FilterField
            value={filter}
            onChange={(value) => {
              onFilter(value);
              setMost(hostsAtOnce);
            }}
            count={`${found.length}`}
          />
        </div>
      )}
      {hosts.length > 0 && found.length === 0 && (
        <FilteredEmpty hidden={hosts.length} onClear={() => onFilter("")} />
      )}
      <ul aria-label="Hosts" className="grid gap-3">
        {found.slice(0, most).map((host) => (
          <HostCard key={host.host} host={host} />
        ))}
      </ul>
      {rest > 0 && (
        <p className="mt-2">
          <Button look="link" onClick={() => setMost(most + hostsAtOnce)}>
            Show {Math.min(rest, hostsAtOnce)} more of {found.length}
          </Button>
        </p>
      )}
      {untold > 0 && (
        <p className="mt-2 text-muted">{untold} more hosts are in the domain, and get no records.</p>
      )}
    </Section>
  );
}
