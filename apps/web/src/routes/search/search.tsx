import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { coverageLines, coverageNotes } from "../../graph/coverage.ts";
import { nodeParameter, nodeText, objectPath } from "../../graph/node-ref.ts";
import { useGraphAnswer } from "../../live/graph-question.ts";
import { RequestFailed } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { PageLink } from "../../text/page-link.tsx";
import { CoverageStrip } from "../../ui/coverage-strip.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { FilterField } from "../../ui/text-field.tsx";
import { useDebounced } from "../graph/node-field.tsx";
import { readPaletteInput } from "../palette/palette-input.ts";

const debounceMs = 80;

/** Everything that a search finds, over all clusters. */
export function Search(): ReactNode {
  const { q = "" } = useSearch({ from: "/_in/search" });
  const navigate = useNavigate();
  const { text, kind, cluster } = readPaletteInput(useDebounced(q, debounceMs));
  const { data, error, refetch } = useGraphAnswer(
    "search",
    { text, kind, cluster, limit: 1_000 },
    { isEnabled: text !== "" },
  );
  const hits = text === "" ? [] : (data?.data.hits ?? []);
  return (
    <>
      <PageHead title="Search">
        <FilterField
          value={q}
          onChange={(value) =>
            void navigate({ to: "/search", search: value === "" ? {} : { q: value }, replace: true })
          }
          count={data === undefined || text === "" ? "" : `${data.data.total.toLocaleString("en")} found`}
        />
      </PageHead>
      {error instanceof RequestFailed && <Failed failure={error.failure} onRetry={() => void refetch()} />}
      {text === "" && (
        <Empty>
          Part of a name, a label, an image, an IP address or a uid. <code>@edge</code> before it is only in a
          cluster, <code>:pod</code> only of a kind.
        </Empty>
      )}
      {text !== "" && data === undefined && error === null && <Loading what="what is found" />}
      {text !== "" && data !== undefined && hits.length === 0 && (
        <Empty>Nothing has “{cleanText(text, 200)}” in it.</Empty>
      )}
      {hits.length > 0 && (
        <div className="min-h-0 flex-1 overflow-auto px-4 pt-2">
          <table className="w-full text-left">
            <thead className="text-xs text-muted">
              <tr>
                {["What", "Cluster", "Found in", "Text", ""].map((title) => (
                  <th key={title} scope="col" className="pr-3 pb-1 font-semibold">
                    {title === "" ? <span className="sr-only">Graph</span> : title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {hits.map(({ node, field, text: found }) =>
                "withheld" in node ? null : (
                  <tr key={`${node.cluster} ${nodeParameter(node)}`} className="border-t border-border">
                    <td className="py-1 pr-3 wrap-anywhere">
                      <HitLink node={node} />
                    </td>
                    <td className="pr-3">{cleanText(node.cluster ?? "all", 100)}</td>
                    <td className="pr-3 text-muted">{field}</td>
                    <td className="pr-3 wrap-anywhere">{cleanText(found, 200)}</td>
                    <td>
                      <Link
                        to="/graph"
                        search={{
                          focus: nodeParameter(node),
                          ...(node.cluster === undefined ? {} : { cluster: node.cluster }),
                        }}
                      >
                        Graph
                      </Link>
                    </td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </div>
      )}
      {data !== undefined && text !== "" && (
        <CoverageStrip notes={coverageNotes(data)} gaps={coverageLines(data.notObserved)} />
      )}
    </>
  );
}

function HitLink({ node }: { node: Parameters<typeof objectPath>[0] }): ReactNode {
  const path = objectPath(node);
  const text = cleanText(nodeText(node), 300);
  return path === undefined ? text : <PageLink path={path}>{text}</PageLink>;
}
