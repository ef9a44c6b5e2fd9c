import { DomainName } from "@bowline/api";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { ObjectList } from "../../ui/object-list.tsx";
import { usualWidth, type TableColumn } from "../../ui/table-rows.ts";
import { kindColumns } from "../kind-columns.ts";
import { domainHealth, domainRank, leadsTo } from "./domain-facts.ts";

const widths: Readonly<Record<string, string>> = {
  NAME: "minmax(8rem, 1.5fr)",
  DOMAIN: "minmax(8rem, 1.5fr)",
  POLICY: "minmax(5rem, 0.5fr)",
  HOSTS: "minmax(4.5rem, 0.5fr)",
  "LEADS TO": "minmax(9rem, 1.5fr)",
  REASON: "minmax(9rem, 1fr)",
  MESSAGE: "minmax(8rem, 2fr)",
  AGE: "minmax(4rem, 0.5fr)",
};

/** The columns of the API, with where hosts lead and one health for the condition, as everywhere. */
const columns: readonly TableColumn<DomainName>[] = [
  ...kindColumns(DomainName, ["READY"]).flatMap((column): TableColumn<DomainName>[] =>
    column.header === "HOSTS" ? [column, { header: "LEADS TO", text: leadsToText }] : [column],
  ),
  { header: "HEALTH", text: (domain: DomainName) => domainHealth(domain), sortKey: domainRank },
].map((column) => ({ ...column, width: widths[column.header] ?? usualWidth }));

function leadsToText(domain: DomainName): string {
  const clusters = leadsTo(domain).map(([cluster, hosts]) => `${cluster} (${hosts})`);
  return clusters.length === 0 ? "–" : clusters.join(", ");
}

/** Those in trouble first, unless somebody chooses another order. */
const troubleFirst = { header: "HEALTH", descending: false };

/** All DomainNames: whose records are written, and where they lead. */
export function DomainNames(): ReactNode {
  const search = useSearch({ from: "/_in/domains" });
  const navigate = useNavigate();
  const list = useObjects(DomainName);
  const set = (change: { q?: string; sort?: string; desc?: boolean }): void =>
    void navigate({ to: "/domains", search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <ObjectList
      title="Domain names"
      kind="domainnames"
      exportName="domain-names"
      what="the domain names"
      empty={
        <>
          No DNS records are written for hosts of gateways yet. An admin has it done by a DomainName:{" "}
          <code>bowline apply -f domain-name.yaml</code>.
        </>
      }
      list={list}
      columns={columns}
      search={search}
      onSearch={set}
      firstOrder={troubleFirst}
      onOpen={({ metadata: { name } }) => void navigate({ to: "/domains/$name", params: { name } })}
      mark={domainMark}
    />
  );
}

function domainMark(domain: DomainName): ReactNode {
  return <HealthMark health={domainHealth(domain)} word={false} />;
}
