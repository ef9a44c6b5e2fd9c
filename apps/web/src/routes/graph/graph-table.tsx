import { useMemo, useState, type ReactNode } from "react";

import { nodeId } from "../../graph/node-ref.ts";
import { nodeLabel, type Picture, type PictureNode } from "../../graph/picture.ts";
import { HealthMark } from "../../ui/health-mark.tsx";
import { LiveTable } from "../../ui/live-table.tsx";
import type { TableColumn, TableSort } from "../../ui/table-rows.ts";

interface Row extends PictureNode {
  readonly because: string;
}

const columns: TableColumn<Row>[] = [
  { header: "NAME", text: nodeLabel, width: "minmax(12rem, 1.4fr)" },
  { header: "HOP", text: ({ hop }) => String(hop), sortKey: ({ hop }) => hop, isNumber: true, width: "4rem" },
  { header: "CLUSTER", text: ({ ref }) => ref?.cluster ?? "–", width: "8rem" },
  {
    header: "TROUBLE",
    text: ({ trouble, isDangling }) => trouble ?? (isDangling ? "not observed" : ""),
    width: "7rem",
  },
  { header: "CHANGE", text: ({ change }) => change ?? "", width: "6rem" },
  { header: "BECAUSE", text: ({ because }) => because, width: "minmax(16rem, 2fr)" },
];

const byHop: TableSort = { header: "HOP", descending: false };

export interface GraphTableProps {
  readonly picture: Picture;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  readonly onPeek: (id: string) => void;
}

/** The picture as a table: the same content for whoever cannot look at it, or would rather read. */
export function GraphTable({ picture, filter, onFilter, onPeek }: GraphTableProps): ReactNode {
  const [sort, setSort] = useState<TableSort>(byHop);
  const list = useMemo(() => ({ items: rowsOf(picture) }), [picture]);
  return (
    <LiveTable
      label="What is around it"
      kind="graph"
      exportName="graph"
      list={list}
      columns={columns}
      filter={filter}
      onFilter={onFilter}
      sort={sort}
      onSort={setSort}
      onOpen={({ id, ref }) => onPeek(ref === undefined ? id : nodeId(ref))}
      mark={markOf}
    />
  );
}

function markOf({ trouble }: Row): ReactNode {
  return trouble === undefined ? null : <HealthMark health={trouble} word={false} />;
}

/** Each with the sentences of the edges that lead nearer to the middle. */
function rowsOf({ nodes, edges }: Picture): ReadonlyMap<string, Row> {
  const hops = new Map(nodes.map(({ id, hop }) => [id, hop]));
  const because = new Map<string, string[]>();
  for (const { from, to, sentence } of edges) {
    const outer = (hops.get(from) ?? 0) >= (hops.get(to) ?? 0) ? from : to;
    because.set(outer, [...(because.get(outer) ?? []), sentence]);
  }
  return new Map(
    nodes.map((node) => [node.id, { ...node, because: (because.get(node.id) ?? []).join("; ") }]),
  );
}
