import type { AccessGrant } from "@bowline/api";
import { useMemo, type ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/states.tsx";
import type { AccessWorld } from "./access-world.ts";
import { accessMatrix, cellKey, cellText, type MatrixRow } from "./access-matrix.ts";
import type { AccessChange } from "./access-search.ts";

export interface AccessMatrixTableProps {
  readonly world: AccessWorld;
  readonly filter: string;
  readonly onSet: (change: AccessChange) => void;
}

/** People and groups against clusters, with as whom each is there. */
export function AccessMatrixTable({ world, filter, onSet }: AccessMatrixTableProps): ReactNode {
  const matrix = useMemo(() => accessMatrix(world, filter), [world, filter]);
  const { rows, clusters, cells, hiddenRows, hiddenClusters } = matrix;
  if (clusters.length === 0) {
    return (
      <Empty>
        No cluster yet, so there is nothing to reach. <code>bowline cluster add NAME</code> adds one.
      </Empty>
    );
  }
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      {(hiddenRows > 0 || hiddenClusters > 0) && (
        <p role="status" className="px-4 py-1 text-xs text-muted">
          Not shown: {hiddenRows.toLocaleString("en")} people and groups,{" "}
          {hiddenClusters.toLocaleString("en")} clusters. The filter picks by name.
        </p>
      )}
      <table className="text-left">
        <caption className="sr-only">Who reaches which cluster, as whom</caption>
        <thead>
          <tr>
            <th scope="col" className="sticky top-0 left-0 z-[6] bg-surface px-4 py-1.5 text-xs text-muted">
              Who
            </th>
            {clusters.map((name) => (
              <th
                key={name}
                scope="col"
                className="sticky top-0 z-[5] bg-surface px-3 py-1.5 text-xs whitespace-nowrap text-muted"
              >
                {cleanText(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.kind} ${row.name}`} className="border-b border-border/60 hover:bg-surface">
              <th scope="row" className="sticky left-0 bg-bg px-4 py-1 font-normal whitespace-nowrap">
                <Button
                  look="link"
                  aria-label={`See as ${row.kind} ${row.name}`}
                  onClick={() => onSet(seeAs(row))}
                >
                  {cleanText(row.name)}
                </Button>{" "}
                <span className="text-xs text-muted">
                  {row.kind === "group" ? "group" : ""}
                  {row.isDisabled ? "disabled" : ""}
                </span>
              </th>
              {clusters.map((cluster) => {
                const grants = cells.get(cellKey(row, cluster)) ?? [];
                return (
                  <td key={cluster} className="px-3 py-1 whitespace-nowrap">
                    {grants.length === 0 ? (
                      <span className="text-faint" title="No grant">
                        –
                      </span>
                    ) : (
                      <Button
                        look="link"
                        title={cleanText(grants.map(({ metadata }) => metadata.name).join(", "))}
                        onClick={() => onSet(grants.length === 1 ? editOf(grants) : seeAs(row))}
                      >
                        {cleanText(cellText(grants), 60)}
                      </Button>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function seeAs({ kind, name }: MatrixRow): AccessChange {
  return { tab: "as", as: `${kind}:${name}` };
}

function editOf([grant]: readonly AccessGrant[]): AccessChange {
  return { edit: `grant/${grant?.metadata.name ?? ""}` };
}
