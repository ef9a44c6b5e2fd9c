import { User } from "@bowline/api";
import type { ReactNode } from "react";

import type { LiveSnapshot } from "../../live/watched-objects.ts";
import { LiveTable } from "../../ui/live-table.tsx";
import { kindColumns } from "../kind-columns.ts";
import type { AccessChange, AccessSearch } from "./access-search.ts";

const columns = kindColumns(User);

export interface UserTableProps {
  readonly list: LiveSnapshot<User>;
  readonly search: AccessSearch;
  readonly onSet: (change: AccessChange) => void;
}

export function UserTable({ list, search: { q = "", sort, desc }, onSet }: UserTableProps): ReactNode {
  return (
    <LiveTable
      label="Users"
      kind="users"
      exportName="users"
      list={list}
      columns={columns}
      filter={q}
      onFilter={(value) => onSet({ q: value })}
      sort={sort === undefined ? undefined : { header: sort, descending: desc === true }}
      onSort={({ header, descending }) => onSet({ sort: header, desc: descending })}
      onOpen={({ metadata }) => onSet({ edit: `user/${metadata.name}` })}
    />
  );
}
