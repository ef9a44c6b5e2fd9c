import { lazy, Suspense, useMemo, useState, type ReactNode } from "react";

import { coverageLines, coverageNotes } from "../../graph/coverage.ts";
import { withChanges } from "../../graph/diff-marks.ts";
import { budgets, wantedEdges, type GraphSearch } from "../../graph/graph-search.ts";
import { nodeId, nodeParameter, parseNode, type NodeRef } from "../../graph/node-ref.ts";
import { leftOutText, pictureOf, type Picture } from "../../graph/picture.ts";
import { useGraphAnswer, type Answer } from "../../live/graph-question.ts";
import { RequestFailed } from "../../live/request.ts";
import { Button } from "../../ui/button.tsx";
import { CoverageStrip } from "../../ui/coverage-strip.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import type { SearchChange } from "./graph-controls.tsx";
import { GraphTable } from "./graph-table.tsx";
import { NodePeek } from "./node-peek.tsx";

const GraphPicture = lazy(async () => {
  const { GraphPicture: component } = await import("./graph-picture.tsx");
  return { default: component };
});

export interface ExploredProps {
  readonly search: GraphSearch;
  readonly focus: string;
  readonly onChange: (change: SearchChange) => void;
}

/** The picture, or the table, of what is around something; beside it what is looked at, below it what it lacks. */
export function Explored({ search, focus, onChange }: ExploredProps): ReactNode {
  const { cluster, depth, without, budget, at, since, view, group = "none", peek } = search;
  const [filter, setFilter] = useState("");
  const { data, error, refetch } = useGraphAnswer("around", {
    node: focus,
    cluster,
    depth,
    edges: wantedEdges(without),
    at,
    limit: budget,
  });
  const picture = usePicture(data, search);
  if (error instanceof RequestFailed) {
    return <Failed failure={error.failure} onRetry={() => void refetch()} />;
  }
  if (data === undefined || picture === undefined) return <Loading what="the picture" />;
  if (!data.data.found) return <NotThere focus={focus} isPast={at !== undefined} />;
  const byId = new Map(picture.nodes.map(({ id, ref }) => [id, ref]));
  const onPeek = (id: string): void => {
    if (byId.get(id) !== undefined) onChange({ peek: id });
  };
  const onFocus = (ref: NodeRef | undefined): void => {
    if (ref === undefined) return;
    onChange({ focus: nodeParameter(ref), cluster: ref.cluster ?? cluster, peek: undefined });
  };
  const peeked = peek === undefined ? undefined : peekedNode(peek);
  const leftOut = leftOutText(data.data);
  return (
    <>
      <div className="flex min-h-0 flex-1 flex-col md:flex-row">
        {view === "table" ? (
          <GraphTable picture={picture} filter={filter} onFilter={setFilter} onPeek={onPeek} />
        ) : (
          <Suspense fallback={<Loading what="what draws the picture" />}>
            <GraphPicture
              picture={picture}
              grouping={group}
              focus={picture.nodes[0]?.id ?? focus}
              peeked={peek}
              onPeek={onPeek}
              onFocus={(id) => onFocus(byId.get(id))}
            />
          </Suspense>
        )}
        {peeked !== undefined && (
          <NodePeek node={peeked} at={at} onFocus={onFocus} onClose={() => onChange({ peek: undefined })} />
        )}
      </div>
      <CoverageStrip
        notes={[
          ...coverageNotes(data).filter((note) => leftOut === "" || !note.includes("more than")),
          ...changeNotes(picture, since),
        ]}
        gaps={coverageLines(data.notObserved)}
        leftOut={leftOut}
      >
        {leftOut !== "" && (budget ?? budgets.usual) < budgets.ceiling && (
          <Button look="link" onClick={() => onChange({ budget: budgets.ceiling })}>
            Draw up to {budgets.ceiling.toLocaleString("en")}
          </Button>
        )}
      </CoverageStrip>
    </>
  );
}

/** With what has changed, where two times are compared. */
function usePicture(answer: Answer<"around"> | undefined, search: GraphSearch): Picture | undefined {
  const { cluster, since, at } = search;
  // The same data is the same object, whenever it was asked for: nothing is drawn anew.
  const data = answer?.data;
  const plain = useMemo(() => (data === undefined ? undefined : pictureOf(data)), [data]);
  const compared = { from: since, to: at, cluster };
  const { data: changes } = useGraphAnswer("diff", compared, { isEnabled: since !== undefined });
  return useMemo(() => {
    if (plain === undefined || since === undefined || changes === undefined) return plain;
    return withChanges(plain, changes.data);
  }, [plain, since, changes]);
}

function changeNotes({ nodes }: Picture, since: string | undefined): string[] {
  if (since === undefined) return [];
  const count = (change: string): number => nodes.filter((node) => node.change === change).length;
  return [`in the picture: ${count("came")} came, ${count("changed")} changed, ${count("went")} went`];
}

function peekedNode(id: string): NodeRef | undefined {
  const space = id.indexOf(" ");
  const ref = parseNode(id.slice(space + 1));
  if (ref === undefined) return undefined;
  const cluster = id.slice(0, space);
  const found = { ...ref, ...(cluster === "" ? {} : { cluster }) };
  return nodeId(found) === id ? found : undefined;
}

function NotThere({ focus, isPast }: { focus: string; isPast: boolean }): ReactNode {
  return (
    <Empty>
      {isPast
        ? `There was no ${focus} at that time, as far as you may see.`
        : `There is no ${focus}, as far as you may see. Choose another one above.`}
    </Empty>
  );
}
