import type { ShownRequest } from "../live/demo-state.ts";
import type { Line, Span, Style } from "./line.ts";

/** One request, in columns that stay where they are whatever comes next. */
export function requestLine(request: ShownRequest): Line {
  const { atMs, who, verb, what, cluster, status, durationMs, count } = request;
  return [
    { text: ` ${timeText(atMs)}  `, style: "dim" },
    cell(cluster, 7),
    cell(who, 8),
    { text: `${status}  `, style: statusStyle(status) },
    cell(durationMs === undefined ? "" : `${durationMs} ms`, 8, true),
    { text: verb.padEnd(7), style: "cyan" },
    { text: ` ${what}${count > 1 ? ` (${count} times)` : ""}` },
  ];
}

/** How many requests a second there were lately. */
export function requestRate(requests: readonly ShownRequest[], nowMs: number): number {
  const windowMs = 5000;
  const lately = requests.filter(({ atMs }) => nowMs - atMs < windowMs);
  return lately.reduce((sum, { count }) => sum + count, 0) / (windowMs / 1000);
}

function cell(text: string, width: number, isNumber = false): Span {
  return { text: `${isNumber ? text.padStart(width) : text.padEnd(width)}  ` };
}

function statusStyle(status: number): Style {
  if (status < 400) return "green";
  return status < 500 ? "yellow" : "red";
}

function timeText(atMs: number): string {
  const at = new Date(atMs);
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}
