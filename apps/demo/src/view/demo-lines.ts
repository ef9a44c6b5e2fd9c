import type { DemoState } from "../live/demo-state.ts";
import { cutGuide, guideLines, type Guide } from "./guide-lines.ts";
import { paintLine, plainLine, type Line, type Paint } from "./line.ts";
import { clusterLines, durationText, requestLine, requestRate } from "./state-lines.ts";
import { eventLine, workloadLines } from "./workload-lines.ts";

export interface Drawing {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  readonly paint: Paint;
}

/** So many rows have room for empty lines between the parts. */
const roomyRows = 34;
const leastEvents = 2;
const leastRequests = 2;
const mostEvents = 10;
const empty: Line = [];

/**
 * The whole picture, no higher and no wider than the terminal. Clusters and workloads come first; then a few events and
 * requests; then the guide, which is cut from its end where there is too little room; the lists take what it leaves.
 */
export function demoLines(state: DemoState, guide: Guide, drawing: Drawing): string[] {
  const { columns, rows, nowMs, paint } = drawing;
  const gap = rows < roomyRows ? [] : [empty];
  const fixed = [
    titleLine(state, columns, nowMs),
    ...consoleLines(state),
    ...gap,
    ...clusterLines(state.clusters, nowMs),
    ...noteLines(state),
    ...(state.workloads.length === 0 ? [] : [...gap, ...workloadLines(state.workloads, drawing)]),
  ];
  const footer = [...gap, plainLine(" q or Ctrl-C ends the demo and removes everything it made.", "dim")];
  const help = state.isReady
    ? guideLines(guide, columns, gap)
    : [...gap, plainLine(" Starting ...", "yellow")];
  const room = shareRows(rows - fixed.length - footer.length, {
    help: help.length,
    title: gap.length + 1,
    hasEvents: state.workloads.length > 0,
  });
  const events = room.events === 0 ? [] : [...gap, ...eventLines(state, room.events)];
  const requests = room.requests === 0 ? [] : [...gap, ...requestLines(state, nowMs, room.requests)];
  const all = [...fixed, ...events, ...cutGuide(help, room.help), ...requests];
  const body = Array.from({ length: Math.max(rows - footer.length, 0) }, (_, row) => all[row] ?? empty);
  return [...body, ...footer].slice(0, rows).map((line) => paintLine(line, columns, paint));
}

interface Wishes {
  /** Lines of the guide. */
  readonly help: number;
  /** Lines above each list. */
  readonly title: number;
  readonly hasEvents: boolean;
}

interface RowShares {
  readonly help: number;
  readonly events: number;
  readonly requests: number;
}

/** How many rows each part gets that has more to show than there may be room for. */
function shareRows(room: number, { help, title, hasEvents }: Wishes): RowShares {
  const forRequests = title + leastRequests;
  const forEvents = hasEvents && room >= title + leastEvents ? title + leastEvents : 0;
  if (room < forEvents + forRequests) {
    const left = Math.max(room - title, 0);
    return forEvents > 0 ? { help: 0, events: left, requests: 0 } : { help: 0, events: 0, requests: left };
  }
  const shownHelp = Math.min(help, room - forEvents - forRequests);
  const rest = room - shownHelp - forEvents - forRequests;
  const moreEvents = forEvents === 0 ? 0 : Math.min(Math.floor(rest / 2), mostEvents - leastEvents);
  return {
    help: shownHelp,
    events: forEvents === 0 ? 0 : leastEvents + moreEvents,
    requests: leastRequests + rest - moreEvents,
  };
}

/** The same without an end, for where nothing can be drawn over: once, and without what changes. */
export function introductionLines(state: DemoState, guide: Guide): string[] {
  const lines = [
    ...guideLines(guide, Number.POSITIVE_INFINITY, [empty]),
    empty,
    plainLine("Ctrl-C ends the demo and removes everything it made."),
  ];
  const notes = state.notes.map((note) => plainLine(note));
  return [...notes, ...lines].map((line) => paintLine(line, Number.POSITIVE_INFINITY, (_, text) => text));
}

function titleLine({ server, startedAtMs }: DemoState, columns: number, nowMs: number): Line {
  const title = " Bowline demo";
  const facts = `${server}  up ${durationText(nowMs - startedAtMs)} `;
  const space = " ".repeat(Math.max(2, columns - title.length - facts.length));
  return [{ text: title, style: "bold" }, { text: space }, { text: facts, style: "dim" }];
}

/** Below the title, where one looks first. */
function consoleLines({ consoleLink }: DemoState): Line[] {
  if (consoleLink === undefined) return [];
  return [
    [
      { text: " Console  ", style: "dim" },
      { text: consoleLink, style: "cyan" },
    ],
  ];
}

function noteLines({ notes }: DemoState): Line[] {
  return notes.map((note) => plainLine(` ${note}`, "yellow"));
}

function eventLines({ events }: DemoState, count: number): Line[] {
  return listLines(plainLine(" Events of workloads", "bold"), events.slice(0, count).map(eventLine), count);
}

function requestLines({ requests }: DemoState, nowMs: number, count: number): Line[] {
  const title: Line = [
    { text: " Requests", style: "bold" },
    { text: `  ${requestRate(requests, nowMs).toFixed(1)}/s`, style: "dim" },
  ];
  return listLines(title, requests.slice(0, count).map(requestLine), count);
}

/** Always the same number of lines, so that what is below stays where it is. */
function listLines(title: Line, shown: readonly Line[], count: number): Line[] {
  const lines = shown.length === 0 ? [plainLine(" None yet.", "dim")] : shown;
  return [title, ...lines, ...Array.from({ length: count - lines.length }, () => empty)];
}
