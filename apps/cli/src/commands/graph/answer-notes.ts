import { formatAge, type GraphAnswer } from "@bowline/api";

import { printableLine } from "../../output/terminal-text.ts";

type Frame = Omit<GraphAnswer, "data">;
type Gap = Frame["notObserved"][number];

/** Lines about gaps: more of them would bury the answer. */
const mostGapLines = 5;
const mostKinds = 6;
/** An answer that is younger than this is about now. */
const freshMs = 10_000;

interface NotesOptions {
  /** A time was asked about. */
  readonly isPast: boolean;
  /** How much more there is, is told already. */
  readonly isPaged?: boolean | undefined;
  readonly nowMs: number;
}

/** What somebody should know who reads an answer: how old it is, and what it may lack. A few lines at most. */
export function answerNotes(frame: Frame, { isPast, isPaged = false, nowMs }: NotesOptions): string[] {
  const { asOf, ageMs, clusters, withheldClusters, withheld, truncated } = frame;
  return [
    ...(isPast ? [`As it was at ${printableLine(asOf)}.`] : []),
    ...(!isPast && ageMs > freshMs ? [`As it was ${formatAge(ageMs)} ago.`] : []),
    ...(clusters.length === 0 && withheldClusters === 0 ? ["There are no clusters to ask."] : []),
    ...withheldNotes(withheld, withheldClusters),
    ...(truncated && !isPaged
      ? ["There is more than is shown; --cluster and more precise names narrow it down."]
      : []),
    ...gapNotes(frame.notObserved, nowMs),
  ];
}

function withheldNotes(withheld: number, withheldClusters: number): string[] {
  const parts = [
    ...(withheld > 0 ? [withheld === 1 ? "one thing" : `${withheld} things`] : []),
    ...(withheldClusters > 0
      ? [withheldClusters === 1 ? "one cluster" : `${withheldClusters} clusters`]
      : []),
  ];
  if (parts.length === 0) return [];
  return [`Withheld: ${parts.join(" and ")} that your AccessGrants do not let you see.`];
}

/** `Not observed in edge since 3m: Secret (forbidden).` Kinds with the same reason, place and cluster are one line. */
function gapNotes(gaps: readonly Gap[], nowMs: number): string[] {
  const lines = [...Map.groupBy(gaps, groupOf).values()].map((group) => gapLine(group, nowMs));
  const more = lines.slice(mostGapLines);
  return [
    ...lines.slice(0, mostGapLines),
    ...(more.length === 0 ? [] : [`Not observed as well: ${more.length} more; -o json shows all.`]),
  ];
}

function groupOf({ cluster, namespace, state }: Gap): string {
  return JSON.stringify([cluster, namespace, state]);
}

const reasons: Readonly<Record<string, string>> = {
  FORBIDDEN: "its agent may not read them",
  FAILING: "reading them fails",
  UNKNOWN: "its agent has not told of them",
};

function gapLine(group: readonly Gap[], nowMs: number): string {
  const [first] = group;
  if (first === undefined) return "";
  const kinds = [...new Set(group.map(({ kind }) => printableLine(kind)))];
  const shown = kinds.slice(0, mostKinds).join(", ");
  const rest = kinds.length > mostKinds ? ` and ${kinds.length - mostKinds} more kinds` : "";
  const namespace = first.namespace === "" ? "" : `, namespace ${printableLine(first.namespace)}`;
  const since = Math.min(...group.map((gap) => Date.parse(gap.since)));
  const why = reasons[first.state] ?? first.state;
  return `Not observed in ${printableLine(first.cluster)}${namespace}: ${shown}${rest} (${why}, since ${formatAge(nowMs - since)}).`;
}
