import type { ClusterState, ShownRequest } from "../live/demo-state.ts";
import { tableLines, type Line, type Span, type Style } from "./line.ts";

const headers = ["CLUSTER", "STATE", "VERSION", "RTT", "PODS", "REQUESTS", "AGENT RUNS IN"];
const styles = { starting: "yellow", connected: "green", offline: "red" } as const;
const unknown = "-";

/** The table of the clusters. */
export function clusterLines(clusters: readonly ClusterState[], nowMs: number): Line[] {
  const head = headers.map((text): Span => ({ text, style: "dim" }));
  return tableLines([head, ...clusters.map((cluster) => cells(cluster, nowMs))], 1);
}

function cells(cluster: ClusterState, nowMs: number): Span[] {
  const { name, phase, place, kubernetesVersion, roundTripMs, pods, requests } = cluster;
  return [
    { text: name, style: "bold" },
    { text: stateText(cluster, nowMs), style: styles[phase] },
    { text: kubernetesVersion ?? unknown },
    { text: roundTripMs === undefined ? unknown : `${roundTripMs.toFixed(1)} ms` },
    podsCell(pods),
    { text: String(requests) },
    { text: place },
  ];
}

/** `connected 1m05s`: the state of a session is also how long it has lasted. */
function stateText({ phase, connectedSinceMs }: ClusterState, nowMs: number): string {
  return connectedSinceMs === undefined ? phase : `${phase} ${durationText(nowMs - connectedSinceMs)}`;
}

function podsCell(pods: ClusterState["pods"]): Span {
  if (pods === undefined) return { text: unknown };
  const { ready, total } = pods;
  return { text: `${ready}/${total}`, style: ready < total ? "yellow" : undefined };
}

export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${pad(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h${pad(minutes % 60)}m`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}

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

export function cell(text: string, width: number, isNumber = false): Span {
  return { text: `${isNumber ? text.padStart(width) : text.padEnd(width)}  ` };
}

function statusStyle(status: number): Style {
  if (status < 400) return "green";
  return status < 500 ? "yellow" : "red";
}

export function timeText(atMs: number): string {
  const at = new Date(atMs);
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}
