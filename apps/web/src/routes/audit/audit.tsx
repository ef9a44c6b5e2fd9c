import { auditColumns, auditRow, wideAuditColumns, type AuditColumn, type AuditRecord } from "@bowline/api";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { request } from "../../live/request.ts";
import { formatTime } from "../../text/time.ts";
import { Button } from "../../ui/button.tsx";
import { ExportButtons } from "../../ui/export-buttons.tsx";
import { LiveTable } from "../../ui/live-table.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import type { TableColumn, TableSort } from "../../ui/table-rows.ts";
import { FilterField } from "../../ui/text-field.tsx";
import { useWhoami } from "../session.ts";
import { AuditDetail } from "./audit-detail.tsx";
import { AuditFilterBar } from "./audit-filter-bar.tsx";
import { auditPath, type AuditSearch } from "./audit-search.ts";
import { foldRecords, timesOf, type FoldedRecords } from "./fold-records.ts";

interface AuditPage {
  readonly metadata: { readonly total: number; readonly cursor?: string };
  readonly items: readonly AuditRecord[];
}

const pageSize = 200;
/** The server counts no further. */
const maxCounted = 100_000;
const againEveryMs = 10_000;
const newestFirst: TableSort = { header: "TIME", descending: true };
const widths: Readonly<Partial<Record<AuditColumn, string>>> = {
  TIME: "13rem",
  VERB: "6rem",
  OUTCOME: "6rem",
  REQUEST: "minmax(8rem, 2fr)",
  MESSAGE: "minmax(8rem, 2fr)",
};

const columns: TableColumn<FoldedRecords>[] = auditColumns.map((header) => ({
  header,
  text: (fold) => textOf(fold, header),
  ...(header === "TIME" ? { cell: ({ latest }: FoldedRecords) => formatTime(Date.parse(latest.at)) } : {}),
  ...(widths[header] === undefined ? {} : { width: widths[header] }),
}));

function textOf(fold: FoldedRecords, header: AuditColumn): string {
  const text = auditRow(fold.latest)[header];
  const times = timesOf(fold);
  return header === "VERB" && times > 1 ? `${text} ×${times}` : text;
}

/** Who did what, newest first. */
export function Audit(): ReactNode {
  const search = useSearch({ from: "/_in/audit" });
  const navigate = useNavigate();
  const { data: me } = useWhoami();
  const [filter, setFilter] = useState("");
  const [sort, setSort] = useState(newestFirst);
  const { open, ...asked } = search;
  const isFirstPage = search.cursor === undefined;
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: ["audit", asked],
    queryFn: ({ signal }) => request<AuditPage>(auditPath(asked, pageSize), { signal }),
    placeholderData: keepPreviousData,
    // A refusal is written down each time: nobody asks for it again by waiting.
    refetchInterval: ({ state }) => (isFirstPage && state.error === null ? againEveryMs : false),
  });
  const folds = useMemo(() => foldRecords(data?.items ?? []), [data]);
  const list = useMemo(() => ({ items: new Map(folds.map((fold) => [fold.latest.id, fold])) }), [folds]);
  const go = (to: AuditSearch, replace = false): void => void navigate({ to: "/audit", search: to, replace });
  const failure = failureIn(error);
  const opened = open === undefined ? undefined : list.items.get(open);
  const next = data?.metadata.cursor;
  return (
    <>
      <PageHead title="Audit">
        <FilterField value={filter} onChange={setFilter} count={countText(data)} />
        <span className="ml-auto">
          <ExportButtons
            name="audit"
            rows={() => csvRows(data?.items ?? [])}
            items={() => data?.items ?? []}
          />
        </span>
      </PageHead>
      {me !== undefined && me.role !== "admin" && (
        <p role="status" className="border-b border-border bg-surface px-4 py-1.5">
          You see what you did yourself. To see what others did takes the role admin.
        </p>
      )}
      <AuditFilterBar search={search} onChange={(to) => go(to)} />
      {failure !== undefined && <Failed failure={failure} onRetry={() => void refetch()} />}
      {data === undefined && failure === undefined && <Loading what="the audit log" />}
      {data !== undefined && failure === undefined && folds.length === 0 && (
        <Empty>Nothing was done that these filters leave.</Empty>
      )}
      {folds.length > 0 && failure === undefined && (
        <div className={`flex min-h-0 flex-1 flex-col ${isPlaceholderData ? "opacity-60" : ""}`}>
          <LiveTable
            label="Audit records"
            kind="audit"
            list={list}
            columns={columns}
            filter={filter}
            onFilter={setFilter}
            sort={sort}
            onSort={setSort}
            onOpen={({ latest }) => go({ ...search, open: latest.id }, true)}
          />
        </div>
      )}
      <nav aria-label="Pages" className="flex items-center gap-3 border-t border-border px-4 py-1.5">
        <Button disabled={isFirstPage} onClick={() => go(withoutPage(search))}>
          Newest
        </Button>
        <Button
          disabled={next === undefined}
          onClick={() => go({ ...withoutPage(search), ...cursorPart(next) })}
        >
          Older
        </Button>
        <span className="text-xs text-muted">
          {isFirstPage ? "The newest, looked at again every 10 s." : ""}
        </span>
      </nav>
      {opened !== undefined && <AuditDetail fold={opened} onClose={() => go(withoutOpen(search), true)} />}
    </>
  );
}

function withoutOpen({ open: _open, ...others }: AuditSearch): AuditSearch {
  return others;
}

function withoutPage({ open: _open, cursor: _cursor, ...others }: AuditSearch): AuditSearch {
  return others;
}

function cursorPart(cursor: string | undefined): AuditSearch {
  return cursor === undefined ? {} : { cursor };
}

function countText(page: AuditPage | undefined): string {
  if (page === undefined) return "";
  const { total } = page.metadata;
  const all =
    total >= maxCounted ? `more than ${maxCounted.toLocaleString("en")}` : total.toLocaleString("en");
  return `${page.items.length.toLocaleString("en")} of ${all}`;
}

function csvRows(records: readonly AuditRecord[]): string[][] {
  const headers: readonly AuditColumn[] = [...auditColumns, ...wideAuditColumns];
  return [
    [...headers],
    ...records.map((record) => {
      const row = auditRow(record);
      return headers.map((header) => row[header]);
    }),
  ];
}
