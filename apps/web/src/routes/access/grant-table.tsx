import { AccessGrant } from "@bowline/api";
import type { ReactNode } from "react";

import type { LiveSnapshot } from "../../live/watched-objects.ts";
import { LiveTable } from "../../ui/live-table.tsx";
import { Empty } from "../../ui/states.tsx";
import { kindColumns } from "../kind-columns.ts";
import { selectorText } from "./grant-draft.ts";
import type { AccessChange, AccessSearch } from "./access-search.ts";

const columns = kindColumns(AccessGrant).map((column) =>
  column.header === "CLUSTERS"
    ? {
        ...column,
        // The column has names only; where labels choose, those are what one looks for.
        text: (grant: AccessGrant, nowMs: number) =>
          grant.spec.clusters.names === undefined ? selectorText(grant.spec) : column.text(grant, nowMs),
      }
    : column,
);

export interface GrantTableProps {
  readonly list: LiveSnapshot<AccessGrant>;
  readonly search: AccessSearch;
  readonly onSet: (change: AccessChange) => void;
}

export function GrantTable({ list, search: { q = "", sort, desc }, onSet }: GrantTableProps): ReactNode {
  if (list.items.size === 0) {
    return (
      <Empty>
        No grant yet: nobody reaches a cluster through Bowline without one, admins neither. «New grant» writes
        the first.
      </Empty>
    );
  }
  return (
    <LiveTable
      label="Grants"
      kind="accessgrants"
      exportName="grants"
      list={list}
      columns={columns}
      filter={q}
      onFilter={(value) => onSet({ q: value })}
      sort={sort === undefined ? undefined : { header: sort, descending: desc === true }}
      onSort={({ header, descending }) => onSet({ sort: header, desc: descending })}
      onOpen={({ metadata }) => onSet({ edit: `grant/${metadata.name}` })}
    />
  );
}
