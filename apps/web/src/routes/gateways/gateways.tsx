import { Gateway } from "@bowline/api";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { HealthMark, healthRank } from "../../ui/health-mark.tsx";
import { ObjectList } from "../../ui/object-list.tsx";
import { usualWidth, type TableColumn } from "../../ui/table-rows.ts";
import { kindColumns } from "../kind-columns.ts";
import { gatewayHealth } from "./gateway-facts.ts";
import { FirstHostLink } from "./host-links.tsx";

/** As narrow as they may be, so that all of them are seen in a window of the usual width. */
const widths: Readonly<Record<string, string>> = {
  NAME: "minmax(7rem, 1.5fr)",
  INSTANCE: "minmax(6rem, 1fr)",
  HOSTS: "minmax(12rem, 2.5fr)",
  CLUSTERS: "minmax(5.5rem, 0.5fr)",
  VISIBILITY: "minmax(5.5rem, 0.5fr)",
  AUTHOR: "minmax(5rem, 0.5fr)",
  REASON: "minmax(8rem, 1fr)",
  MESSAGE: "minmax(8rem, 2fr)",
  AGE: "minmax(4rem, 0.5fr)",
};

/** The columns of the API, with hosts to open and one health for the condition, as everywhere. */
const columns: readonly TableColumn<Gateway>[] = [
  ...kindColumns(Gateway, ["READY"]).map((column): TableColumn<Gateway> =>
    column.header === "HOSTS"
      ? { ...column, cell: (gateway) => <FirstHostLink gateway={gateway} /> }
      : column,
  ),
  {
    header: "HEALTH",
    text: (gateway: Gateway) => gatewayHealth(gateway),
    sortKey: (gateway: Gateway) => healthRank[gatewayHealth(gateway)],
  },
].map((column) => ({ ...column, width: widths[column.header] ?? usualWidth }));

/** Those in trouble first, unless somebody chooses another order. */
const troubleFirst = { header: "HEALTH", descending: false };

/** All host names under which workloads answer, and whether they do. */
export function Gateways(): ReactNode {
  const search = useSearch({ from: "/_in/gateways" });
  const navigate = useNavigate();
  const list = useObjects(Gateway);
  const set = (change: { q?: string; sort?: string; desc?: boolean }): void =>
    void navigate({ to: "/gateways", search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <ObjectList
      title="Gateways"
      kind="gateways"
      what="the gateways"
      empty={
        <>
          No workload has a host name yet. <Link to="/workloads">Open one</Link> and expose it, or use{" "}
          <code>bowline expose wi/NAME --host HOST</code>.
        </>
      }
      list={list}
      columns={columns}
      search={search}
      onSearch={set}
      firstOrder={troubleFirst}
      onOpen={({ metadata: { name } }) => void navigate({ to: "/gateways/$name", params: { name } })}
      mark={gatewayMark}
    />
  );
}

function gatewayMark(gateway: Gateway): ReactNode {
  return <HealthMark health={gatewayHealth(gateway)} word={false} />;
}
