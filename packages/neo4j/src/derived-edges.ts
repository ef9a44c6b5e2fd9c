import {
  labelRequirementsOf,
  matchesLabels,
  type LabelRequirement,
  type LabelSelectorObject,
} from "@bowline/core";
import { mapOfFlat, type EdgeType } from "@bowline/graph";

import type { BatchRows, Selectable, SelectionRow } from "./batch-rows.ts";
import type { Run } from "./neo4j-database.ts";

type WriteEdges = (run: Run, type: string, edges: readonly object[]) => Promise<void>;

interface Selection extends Pick<SelectionRow, "saidBy" | "from" | "type" | "at" | "scope"> {
  readonly requirements: readonly LabelRequirement[];
}

/**
 * Edges that follow from labels. Nobody tells them: the graph in memory resolves selectors when somebody walks over
 * them, and here they are made where a batch has changed who selects or who can be selected. Selectors are compared by
 * the same code as there.
 */
export async function deriveEdges(run: Run, rows: BatchRows, write: WriteEdges): Promise<void> {
  const own = rows.selections.map(parsed);
  const scopes = [...new Set(own.map(({ scope }) => scope))];
  for (const scope of scopes) {
    const selections = own.filter((selection) => selection.scope === scope);
    await connect(run, selections, await selectableIn(run, scope), write);
  }
  const others = await otherSelections(run, rows);
  const byScope = Map.groupBy(others, ({ scope }) => scope);
  for (const [scope, selections] of byScope) {
    await connect(
      run,
      selections,
      rows.selectable.filter((one) => one.scope === scope),
      write,
    );
  }
}

/** Every observed object of a scope, those of the batch included. */
async function selectableIn(run: Run, scope: string): Promise<Selectable[]> {
  const [cluster = "", kind = "", namespace = ""] = scope.split("/");
  const found = await run<{ key: string; labels: string[] | null }>(
    `MATCH (n:Bowline {cluster: $cluster, kind: $kind, namespace: $namespace}) WHERE n.uid IS NOT NULL
     RETURN n.key AS key, n.labels AS labels`,
    { cluster, kind, namespace },
  );
  return found.map(({ key, labels }) => ({ key, scope, labels: labels ?? [] }));
}

/** Selections of objects outside of the batch that look where objects of the batch are. */
async function otherSelections(run: Run, { selectable, selections }: BatchRows): Promise<Selection[]> {
  const scopes = [...new Set(selectable.map(({ scope }) => scope))];
  const found = await run<SelectionRow & Record<string, unknown>>(
    `UNWIND $scopes AS scope MATCH (s:BowlineSelection {scope: scope})
     RETURN s.saidBy AS saidBy, s.from AS from, s.type AS type, s.at AS at, scope, s.selector AS selector`,
    { scopes },
  );
  const own = new Set(selections.map(({ saidBy }) => saidBy));
  return found.filter(({ saidBy }) => !own.has(saidBy)).map(parsed);
}

async function connect(
  run: Run,
  selections: readonly Selection[],
  targets: readonly Selectable[],
  write: WriteEdges,
): Promise<void> {
  const edges = new Map<EdgeType, object[]>();
  for (const { key: to, labels } of targets) {
    const map = mapOfFlat(labels);
    for (const { requirements, from, type, at, saidBy } of selections) {
      if (!matchesLabels(requirements, map)) continue;
      const list = edges.get(type) ?? [];
      edges.set(type, list);
      list.push({ from, to, properties: { at, saidBy, derived: true } });
    }
  }
  for (const [type, rows] of edges) await write(run, type, rows);
}

function parsed({ selector, ...rest }: SelectionRow): Selection {
  return { ...rest, requirements: labelRequirementsOf(JSON.parse(selector) as LabelSelectorObject) };
}
