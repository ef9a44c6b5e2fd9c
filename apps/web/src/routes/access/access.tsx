import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { ListState } from "../../ui/list-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { FilterField } from "../../ui/text-field.tsx";
import { AccessMatrixTable } from "./access-matrix-table.tsx";
import { accessTabs, readAccessSearch, type AccessChange, type AccessSearch } from "./access-search.ts";
import { useAccessWorld, type AccessLists, type AccessWorld } from "./access-world.ts";
import { GrantEditor } from "./grant-editor.tsx";
import { GrantTable } from "./grant-table.tsx";
import { SeeAs } from "./see-as.tsx";
import { TokenList } from "./token-list.tsx";
import { UserEditor } from "./user-editor.tsx";
import { UserTable } from "./user-table.tsx";

const tabs = accessTabs.map((key) => ({
  key,
  name: { matrix: "Who reaches what", grants: "Grants", users: "Users", tokens: "Tokens", as: "See as" }[key],
}));

interface PartProps {
  readonly search: AccessSearch;
  readonly onSet: (change: AccessChange) => void;
}

/** Who may reach which clusters, as whom, and who says so. */
export function Access(): ReactNode {
  const search: AccessSearch = useSearch({ from: "/_in/access" });
  const navigate = useNavigate();
  const lists = useAccessWorld();
  const { world, state } = lists;
  const onSet = (change: AccessChange): void =>
    void navigate({
      to: "/access",
      search: (before) => readAccessSearch({ ...before, ...change }),
      replace: true,
    });
  return (
    <>
      <PageHead title="Access">
        <FilterField value={search.q ?? ""} onChange={(q) => onSet({ q })} />
        {world !== undefined && <NewButton {...{ world, search, onSet }} />}
      </PageHead>
      <Tabs
        label="Access"
        tabs={tabs}
        chosen={search.tab ?? "matrix"}
        onChoose={(tab) => onSet({ tab, sort: undefined, desc: undefined })}
      />
      <ListState list={state} what="users, grants and clusters" admins={world?.admins} />
      {state.failure === undefined && world !== undefined && (
        <>
          <ChosenTab {...{ lists, world, search, onSet }} />
          <Editor {...{ world, search, onSet }} />
        </>
      )}
    </>
  );
}

/** Off, with the reason and with whom to ask, for those who may not. */
function NewButton({
  world,
  search: { tab },
  onSet,
}: PartProps & { readonly world: AccessWorld }): ReactNode {
  const { me, admins } = world;
  const isAdmin = me.role === "admin";
  const what = tab === "users" ? "user" : "grant";
  return (
    <>
      {tab !== "tokens" && tab !== "as" && (
        <Button
          disabled={!isAdmin}
          {...(isAdmin ? {} : { "aria-describedby": "only-admins" })}
          onClick={() => onSet({ edit: `${what}/` })}
        >
          New {what}
        </Button>
      )}
      {!isAdmin && (
        <span id="only-admins" className="text-xs text-muted">
          You are {me.role}: only admins write users and grants
          {admins.length === 0 ? "." : ` (${cleanText(admins.join(", "), 200)}).`}
        </span>
      )}
    </>
  );
}

interface ChosenTabProps extends PartProps {
  readonly lists: AccessLists;
  readonly world: AccessWorld;
}

function ChosenTab({ lists, world, search, onSet }: ChosenTabProps): ReactNode {
  const { tab = "matrix", q = "", as } = search;
  switch (tab) {
    case "grants":
      return <GrantTable list={lists.grants} search={search} onSet={onSet} />;
    case "users":
      return <UserTable list={lists.users} search={search} onSet={onSet} />;
    case "tokens":
      return (
        <div className="overflow-auto p-4">
          <TokenList me={world.me} filter={q} />
        </div>
      );
    case "as":
      return <SeeAs world={world} as={as} onSet={onSet} />;
    case "matrix":
    default:
      return <AccessMatrixTable world={world} filter={q} onSet={onSet} />;
  }
}

function Editor({ world, search: { edit }, onSet }: PartProps & { readonly world: AccessWorld }): ReactNode {
  if (edit === undefined) return null;
  const name = edit.slice(edit.indexOf("/") + 1);
  const shared = { world, name, onClose: () => onSet({ edit: undefined }) };
  return edit.startsWith("grant/") ? (
    <GrantEditor key={edit} {...shared} />
  ) : (
    <UserEditor key={edit} {...shared} />
  );
}
