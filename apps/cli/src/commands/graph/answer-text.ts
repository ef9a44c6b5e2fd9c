import type { GraphData } from "@bowline/api";

import { TableWriter, type CellStyle } from "../../output/table-writer.ts";
import { printableLine } from "../../output/terminal-text.ts";
import { nodeName } from "./node-argument.ts";
import type { QuestionOptions } from "./question-options.ts";

/** A node, or that there is one which is withheld. */
export type AnswerNode = GraphData<"search">["hits"][number]["node"];
type AnswerEdge = GraphData<"blast-radius">["reached"][number]["because"];

export interface TableOptions extends Pick<QuestionOptions, "headers"> {
  readonly wide: boolean;
}

/** Each once, as somebody would type it again. */
export function nodeLines(nodes: readonly AnswerNode[]): string {
  const names = nodes.flatMap((node) => ("withheld" in node ? [] : [nodeName(node)]));
  return [...new Set(names)].map((name) => `${printableLine(name)}\n`).join("");
}

/** Rows below their headers. Everything in them comes from clusters. */
export function answerTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  { headers, style }: Pick<TableOptions, "headers"> & { readonly style?: CellStyle },
): string {
  if (rows.length === 0) return "";
  const table = new TableWriter(columns, { noHeaders: !headers, ...(style === undefined ? {} : { style }) });
  return table.rows(rows.map((row) => row.map(printableLine)));
}

const withheldText = "<withheld>";

/** The cells of a node: its cluster, and what it is. */
export function nodeCells(node: AnswerNode): [cluster: string, name: string] {
  if ("withheld" in node) return [withheldText, withheldText];
  const missing = node.dangling === true ? " (not observed)" : "";
  const cut = node.cut === undefined ? "" : ` (says too much: ${node.cut} left out)`;
  return [node.cluster ?? "<all>", `${nodeName(node)}${missing}${cut}`];
}

/** Nobody has seen it, though somebody names it. */
export function danglingNotes(node: AnswerNode): string[] {
  if ("withheld" in node || node.dangling !== true) return [];
  return [`${nodeName(node)} was not observed: it is referred to, but does not exist or may not be read.`];
}

/** An edge in words, and the field that says so. */
export function edgeCells(edge: AnswerEdge): { readonly field: string; readonly sentence: string } {
  if ("withheld" in edge) return { field: withheldText, sentence: "A step that is withheld" };
  return { field: edge.at === "" ? "<labels>" : edge.at, sentence: edge.sentence };
}

/** A part of an answer under a title. */
interface Section {
  readonly title: string;
  readonly text: string;
}

/** Sections with an empty line between them, without those that have nothing. */
export function sectionsText(sections: readonly Section[]): string {
  return sections
    .filter(({ text }) => text !== "")
    .map(({ title, text }) => `${title}\n${text}`)
    .join("\n");
}
