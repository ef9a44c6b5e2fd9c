import { Gateway } from "@bowline/api";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { HealthMark, healthRank } from "../../ui/health-mark.tsx";
import { ObjectList } from "../../ui/object-list.tsx";
import type { TableColumn } from "../../ui/table-rows.ts";
import { kindColumns } from "../kind-columns.ts";
import { gatewayHealth } from "./gateway-facts.ts";
import { HostLinks } from "./host-links.tsx";

/** The columns of the API, with hosts to open and one health for the condition, as everywhere. */
const columns: readonly TableColumn<Gateway>[] = [
  ...kindColumns(Gateway, ["READY"]).map((column) => ({
    ...column,
    ...(column.header === "HOSTS"
      ? { cell: (gateway: Gateway) => <HostLinks gateway={gateway} />, width: "minmax(12rem, 2fr)" }
      : {}),
    ...(column.header === "MESSAGE" ? { width: "minmax(10rem, 2fr)" } : {}),
  })),
  {
    header: "HEALTH",
    text: (gateway) => gatewayHealth(gateway),
    sortKey: (gateway) => healthRank[gatewayHealth(gateway)],
  },
];

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
      onOpen={({ metadata: { name } }) => void navigate({ to: "/gateways/$name", params: { name } })}
      mark={gatewayMark}
    />
  );
}

function gatewayMark(gateway: Gateway): ReactNode {
  return <HealthMark health={gatewayHealth(gateway)} word={false} />;
}
