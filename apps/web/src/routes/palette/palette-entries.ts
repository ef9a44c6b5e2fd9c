import type { GraphData } from "@bowline/api";

import { knownKinds, nodeId, nodeParameter, objectPath, type NodeRef } from "../../graph/node-ref.ts";
import { ranked, readQuestion, type PaletteInput } from "./palette-input.ts";

/** A line of the palette. */
export interface PaletteEntry {
  /** Tells lines apart, and is the same while one types on. */
  readonly id: string;
  readonly group: "Recent" | "Objects" | "Pages" | "Clusters" | "Kinds" | "Questions" | "Actions";
  readonly name: string;
  /** Beside the name: kind, namespace, cluster. */
  readonly note: string;
  /** Where it leads, within the console; missing for what is done and leads nowhere. */
  readonly path?: string;
  readonly run?: () => void;
  /** What Tab makes of the field. */
  readonly narrows?: { readonly prefix: ":" | "@"; readonly name: string };
}

export interface PaletteSources {
  readonly pages: readonly { readonly to: string; readonly name: string }[];
  readonly clusters: readonly string[];
  readonly actions: readonly { readonly name: string; readonly run: () => void }[];
  readonly recent: readonly NodeRef[];
  readonly hits: GraphData<"search">["hits"];
}

const most = { recent: 6, objects: 20, others: 6 } as const;

/** The lines for what was typed, group by group. */
export function paletteEntries(input: PaletteInput, sources: PaletteSources): PaletteEntry[] {
  const { mode, text, kind, cluster } = input;
  const isNarrowed = kind !== undefined || cluster !== undefined;
  const pages = pagesFor(text, sources);
  const clusters = clustersFor(text, sources);
  const actions = actionsFor(text, sources);
  if (mode === "action") return actions;
  if (mode === "question") return questionsFor(text);
  if (mode === "cluster") return clusters;
  if (mode === "kind") return [...kindsFor(text), ...pages];
  const objects = sources.hits.flatMap(({ node }) =>
    "withheld" in node ? [] : [objectEntry(node, "Objects")],
  );
  if (mode === "label" || isNarrowed) return objects.slice(0, most.objects);
  if (text === "") {
    const recent = sources.recent.slice(0, most.recent).map((ref) => objectEntry(ref, "Recent"));
    return [...recent, ...pages, ...clusters.slice(0, most.others), ...actions];
  }
  return [
    ...clusters.slice(0, most.others),
    ...pages.slice(0, most.others),
    ...objects.slice(0, most.objects),
    ...searchEntry(text),
    ...actions.slice(0, most.others),
    ...questionsFor(text).slice(0, 3),
  ];
}

/** Where an object leads: to its page, or to what is around it where it has none. */
function objectEntry(node: NodeRef, group: "Objects" | "Recent"): PaletteEntry {
  return {
    id: `${group} ${nodeId(node)}`,
    group,
    name: node.name,
    note: [node.kind, node.namespace, node.cluster ?? "all clusters"]
      .filter((part) => part !== "")
      .join(" · "),
    path: objectPath(node) ?? graphPath(node),
  };
}

export function graphPath(node: NodeRef): string {
  const query = new URLSearchParams({
    focus: nodeParameter(node),
    ...(node.cluster === undefined ? {} : { cluster: node.cluster }),
  });
  return `/graph?${query}`;
}

function pagesFor(text: string, { pages }: PaletteSources): PaletteEntry[] {
  return ranked(pages, text, ({ name }) => name).map(({ to, name }) => ({
    id: `Pages ${to}`,
    group: "Pages",
    name,
    note: "page",
    path: to,
  }));
}

function clustersFor(text: string, { clusters }: PaletteSources): PaletteEntry[] {
  return ranked(clusters, text, (name) => name).map((name) => ({
    id: `Clusters ${name}`,
    group: "Clusters",
    name,
    note: "cluster",
    path: `/clusters?q=${encodeURIComponent(name)}`,
    narrows: { prefix: "@", name },
  }));
}

function kindsFor(text: string): PaletteEntry[] {
  return ranked(knownKinds, text, (kind) => kind).map((kind) => ({
    id: `Kinds ${kind}`,
    group: "Kinds",
    name: kind,
    note: "Tab: only of this kind",
    narrows: { prefix: ":", name: kind },
  }));
}

function actionsFor(text: string, { actions }: PaletteSources): PaletteEntry[] {
  return ranked(actions, text, ({ name }) => name).map(({ name, run }) => ({
    id: `Actions ${name}`,
    group: "Actions",
    name,
    note: "action",
    run,
  }));
}

const questions: readonly (readonly [name: string, title: string])[] = [
  ["who-can", "Who can …"],
  ["what-can", "What can … do"],
  ["uses", "Who uses this"],
  ["images", "Where does this image run"],
  ["blast-radius", "What breaks if this goes"],
  ["path", "Path from A to B"],
  ["exposure", "What is exposed"],
  ["orphans", "What is left over"],
  ["audit", "What is weak"],
  ["diff", "What changed"],
];

/** The question that the line asks, first; then those whose names fit. */
function questionsFor(text: string): PaletteEntry[] {
  const typed = readQuestion(text);
  const asked: PaletteEntry[] =
    typed === undefined
      ? []
      : [
          {
            id: "Questions typed",
            group: "Questions",
            name: text,
            note: typed.name,
            path: `/ask?${new URLSearchParams({ q: typed.name, ...typed.parameters })}`,
          },
        ];
  const named = ranked(questions, typed === undefined ? text : "", ([, title]) => title);
  return [
    ...asked,
    ...named.map(([name, title]): PaletteEntry => ({
      id: `Questions ${name}`,
      group: "Questions",
      name: title,
      note: "question",
      path: `/ask?q=${name}`,
    })),
  ];
}

function searchEntry(text: string): PaletteEntry[] {
  return [
    {
      id: "Objects all",
      group: "Objects",
      name: `All that have “${text}” in it`,
      note: "search",
      path: `/search?q=${encodeURIComponent(text)}`,
    },
  ];
}

/** What was opened, the last first, each once. Kept while the page is open, and nowhere else. */
export class RecentNodes {
  #nodes: readonly NodeRef[] = [];

  get nodes(): readonly NodeRef[] {
    return this.#nodes;
  }

  add(node: NodeRef): void {
    const others = this.#nodes.filter((other) => nodeId(other) !== nodeId(node));
    this.#nodes = [node, ...others].slice(0, most.recent);
  }
}

/** For those who do not see the list. */
export function countText(entries: readonly PaletteEntry[]): string {
  return entries.length === 0
    ? "Nothing found"
    : `${entries.length} found, the first is ${entries[0]?.name ?? ""}`;
}

/** The object that a line of search hits stands for. */
export function nodeOfEntry(entry: PaletteEntry, { hits, recent }: PaletteSources): NodeRef | undefined {
  const nodes = [...hits.flatMap(({ node }) => ("withheld" in node ? [] : [node])), ...recent];
  return nodes.find((node) => entry.id === `${entry.group} ${nodeId(node)}`);
}
