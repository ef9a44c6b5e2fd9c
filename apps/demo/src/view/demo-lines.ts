import type { DemoState } from "../live/demo-state.ts";
import { paintLine, plainLine, type Line, type Paint } from "./line.ts";
import { clusterLines, durationText, requestLine, requestRate } from "./state-lines.ts";

export interface Drawing {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  readonly paint: Paint;
}

const leastRequests = 3;
const empty: Line = [];

/**
 * The whole picture, no higher and no wider than the terminal. Requests take what the rest leaves; where that is not enough
 * for a few of them, the guide is cut from its end, and where even that is not enough, there are none.
 */
export function demoLines(state: DemoState, guide: Guide, drawing: Drawing): string[] {
  const { columns, rows, nowMs, paint } = drawing;
  const top = [
    ...titleLines(state, columns, nowMs),
    ...clusterLines(state.clusters, nowMs),
    ...noteLines(state),
  ];
  const footer = plainLine(" q or Ctrl-C ends the demo and removes everything it made.", "dim");
  const below = state.isReady ? guideLines(guide, columns) : [empty, plainLine(" Starting ...", "yellow")];
  // The title of the requests, the last line, and an empty one before each.
  const room = rows - top.length - 4;
  const count = Math.max(room - below.length, Math.min(room, leastRequests), 0);
  const requests = count === 0 ? [] : [empty, ...requestLines(state, nowMs, count)];
  const above = [...top, ...below].slice(0, Math.max(rows - requests.length - 2, 0));
  const all = [...above, ...requests, empty, footer];
  return all.slice(0, rows).map((line) => paintLine(line, columns, paint));
}

/** The same without an end, for where nothing can be drawn over: once, and without what changes. */
export function introductionLines(state: DemoState, guide: Guide): string[] {
  const lines = [
    ...guideLines(guide, Number.POSITIVE_INFINITY),
    empty,
    plainLine("Ctrl-C ends the demo and removes everything it made."),
  ];
  const notes = state.notes.map((note) => plainLine(note));
  return [...notes, ...lines].map((line) => paintLine(line, Number.POSITIVE_INFINITY, (_, text) => text));
}

function titleLines({ server, startedAtMs }: DemoState, columns: number, nowMs: number): Line[] {
  const title = " Bowline demo";
  const facts = `${server}  up ${durationText(nowMs - startedAtMs)} `;
  const space = " ".repeat(Math.max(2, columns - title.length - facts.length));
  return [[{ text: title, style: "bold" }, { text: space }, { text: facts, style: "dim" }], empty];
}

function noteLines({ notes }: DemoState): Line[] {
  return notes.map((note) => plainLine(` ${note}`, "yellow"));
}

function requestLines({ requests }: DemoState, nowMs: number, count: number): Line[] {
  const title: Line = [
    { text: " Requests", style: "bold" },
    { text: `  ${requestRate(requests, nowMs).toFixed(1)}/s`, style: "dim" },
  ];
  const shown = requests.slice(0, count).map(requestLine);
  const lines = shown.length === 0 ? [plainLine(" None yet.", "dim")] : shown;
  // Always the same number, so that what is below stays where it is.
  return [title, ...lines, ...Array.from({ length: count - lines.length }, () => empty)];
}

const commandIndent = "   ";

function guideLines({ sections }: Guide, columns: number): Line[] {
  const width = columns - commandIndent.length;
  return sections.flatMap(({ title, commands }) => [
    empty,
    plainLine(` ${title}`, "bold"),
    ...commands
      .flatMap((command) => wrapCommand(command, width))
      .map((line) => plainLine(commandIndent + line)),
  ]);
}

/** Things to do with the demo: commands, each to be copied as it stands. */
export interface Guide {
  readonly sections: readonly GuideSection[];
}

interface GuideSection {
  readonly title: string;
  readonly commands: readonly string[];
}

/** A word as a shell takes it, quotes and all. */
const word = /(?:"[^"]*"|\S)+/gu;

/** A command in lines no wider than `columns` where that is possible, which a shell reads as the one command. */
export function wrapCommand(command: string, columns: number): string[] {
  if (command.length <= columns) return [command];
  const lines: string[] = [];
  let line = "";
  for (const next of command.match(word) ?? []) {
    const longer = line === "" ? next : `${line} ${next}`;
    // Every line but the last ends with a backslash.
    if (line === "" || longer.length + 2 <= columns) line = longer;
    else {
      lines.push(`${line} \\`);
      line = `  ${next}`;
    }
  }
  return [...lines, line];
}
