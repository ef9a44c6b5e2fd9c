import { columnsOf, GraphQuestion, rowOf } from "@bowline/api";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";

import { readAskSearch } from "../../graph/ask-search.ts";
import { useObjects } from "../../live/live-context.tsx";
import { HealthMark, type HealthName } from "../../ui/health-mark.tsx";
import { LiveTable } from "../../ui/live-table.tsx";
import { ListState } from "../../ui/list-state.tsx";
import { Empty } from "../../ui/states.tsx";
import type { TableColumn, TableSort } from "../../ui/table-rows.ts";

/** The columns of the API, which the command line prints too. */
const columns: TableColumn<GraphQuestion>[] = columnsOf(GraphQuestion, { wide: true })
  .map(({ header }, index): TableColumn<GraphQuestion> => ({
    header,
    text: (question, nowMs) => rowOf(GraphQuestion, question, { wide: true, nowMs })[index] ?? "",
  }))
  .filter(({ header }) => header !== "WEBHOOK");

/** Questions that are asked again whenever something changes, each with how its answer is now. */
export function KeptQuestions(): ReactNode {
  const list = useObjects(GraphQuestion);
  const navigate = useNavigate();
  const [sort, setSort] = useState<TableSort>();
  const { items, phase } = list;
  return (
    <section aria-label="Kept questions" className="flex min-h-40 flex-col border-t border-border">
      <h2 className="px-4 pt-2 text-lg">Kept questions</h2>
      <ListState list={list} what="the questions that are kept" />
      {phase === "live" && items.size === 0 && (
        <Empty>
          None yet. Ask something, and choose “Tell me when this changes”: there is an event then, whenever
          the answer is another one.
        </Empty>
      )}
      {items.size > 0 && (
        <LiveTable
          label="Kept questions"
          kind="graphquestions"
          exportName="questions"
          list={list}
          columns={columns}
          filter=""
          onFilter={() => {}}
          sort={sort}
          onSort={setSort}
          onOpen={({ spec }) =>
            void navigate({
              to: "/ask",
              search: readAskSearch({ ...spec.parameters, q: spec.question, cluster: spec.cluster }),
            })
          }
          mark={markOf}
        />
      )}
    </section>
  );
}

function markOf({ status }: GraphQuestion): ReactNode {
  const ready = status.conditions.find(({ type }) => type === "Ready")?.status;
  const health: HealthName = ready === "True" ? "Healthy" : ready === "False" ? "Degraded" : "Progressing";
  return <HealthMark health={health} word={false} />;
}
