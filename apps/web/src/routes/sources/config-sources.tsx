import { ConfigSource } from "@bowline/api";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { HealthMark, healthRank } from "../../ui/health-mark.tsx";
import { ObjectList } from "../../ui/object-list.tsx";
import type { TableColumn } from "../../ui/table-rows.ts";
import { kindColumns } from "../kind-columns.ts";
import { configHealth } from "./config-health.ts";

/** The columns of the API; conditions are told by one health, as everywhere. */
const columns: readonly TableColumn<ConfigSource>[] = [
  ...kindColumns(ConfigSource, ["READY", "CURRENT"]),
  {
    header: "HEALTH",
    text: (source) => configHealth(source),
    sortKey: (source) => healthRank[configHealth(source)],
  },
];

/** Where objects of Bowline come from: clusters, grants and workloads from git. */
export function ConfigSources({ tabs }: { tabs: ReactNode }): ReactNode {
  const search = useSearch({ from: "/_in/sources" });
  const navigate = useNavigate();
  const list = useObjects(ConfigSource);
  const set = (change: { q?: string; sort?: string; desc?: boolean }): void =>
    void navigate({ to: "/sources", search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <ObjectList
      title="Sources"
      label="Sources of configuration"
      kind="configsources"
      exportName="config-sources"
      what="the sources of configuration"
      empty={
        <>
          No configuration comes from git yet: clusters, grants and workloads are written by hand. A
          ConfigSource names the repository to take them from: <code>bowline apply -f FILE</code>.
        </>
      }
      list={list}
      columns={columns}
      search={search}
      onSearch={set}
      onOpen={({ metadata: { name } }) => void navigate({ to: "/sources/config/$name", params: { name } })}
      mark={sourceMark}
      tabs={tabs}
    />
  );
}

function sourceMark(source: ConfigSource): ReactNode {
  return <HealthMark health={configHealth(source)} word={false} />;
}
