import {
  readNumber,
  readPath,
  readRecords,
  readString,
  readText,
  type JsonRecord,
} from "../../store/json-value.ts";
import type { SimObject } from "../../store/sim-api.ts";
import { humanDuration } from "./human-duration.ts";
import { ageColumn, nameColumn, type ColumnSpec } from "./table-layout.ts";

export const podColumns: readonly ColumnSpec[] = [
  nameColumn,
  [
    "Ready",
    "string",
    (pod) =>
      `${statuses(pod).filter((each) => each["ready"] === true).length}/${readRecords(pod, "spec.containers").length}`,
  ],
  ["Status", "string", (pod) => podStatus(pod)],
  ["Restarts", "integer", (pod) => restartCount(pod), { before: 22 }],
  ["Restarts", "string", (pod, nowMs) => restarts(pod, nowMs), { from: 22 }],
  ageColumn,
  ["*IP", "string", (pod) => readText(pod, "status.podIP") ?? "<none>"],
  ["*Node", "string", (pod) => readText(pod, "spec.nodeName") ?? "<none>"],
  ["*Nominated Node", "string", (pod) => readText(pod, "status.nominatedNodeName") ?? "<none>"],
  ["*Readiness Gates", "string", () => "<none>"],
];

/** The one word that says most about a pod: why it is not running, or its phase. */
function podStatus(pod: SimObject): string {
  const status = readText(pod, "status.reason") ?? readText(pod, "status.phase") ?? "Unknown";
  const reason = initStatus(pod) ?? containerStatus(pod) ?? status;
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  return readString(pod, "status.reason") === "NodeLost" ? "Unknown" : "Terminating";
}

function initStatus(pod: SimObject): string | undefined {
  const all = readRecords(pod, "spec.initContainers").length;
  for (const [index, status] of readRecords(pod, "status.initContainerStatuses").entries()) {
    if (readNumber(status, "state.terminated.exitCode") === 0) continue;
    const terminated = readPath(status, "state.terminated");
    if (terminated !== undefined) return `Init:${terminationWord(status)}`;
    const waiting = readString(status, "state.waiting.reason");
    if (waiting && waiting !== "PodInitializing") return `Init:${waiting}`;
    return `Init:${index}/${all}`;
  }
  return undefined;
}

function containerStatus(pod: SimObject): string | undefined {
  let word: string | undefined;
  let running = false;
  for (const status of statuses(pod).toReversed()) {
    const waiting = readString(status, "state.waiting.reason");
    if (waiting) word = waiting;
    else if (readPath(status, "state.terminated") !== undefined) word = terminationWord(status);
    else if (status["ready"] === true && readPath(status, "state.running") !== undefined) running = true;
  }
  if (word === "Completed" && running) return podReady(pod) ? "Running" : "NotReady";
  return word;
}

function terminationWord(status: JsonRecord): string {
  const reason = readString(status, "state.terminated.reason");
  if (reason) return reason;
  const signal = readNumber(status, "state.terminated.signal") ?? 0;
  return signal === 0
    ? `ExitCode:${readNumber(status, "state.terminated.exitCode") ?? 0}`
    : `Signal:${signal}`;
}

function podReady(pod: SimObject): boolean {
  return readRecords(pod, "status.conditions").some(
    (each) => each["type"] === "Ready" && each["status"] === "True",
  );
}

function restartCount(pod: SimObject): number {
  return statuses(pod).reduce((sum, status) => sum + (readNumber(status, "restartCount") ?? 0), 0);
}

function restarts(pod: SimObject, nowMs: number): string {
  const count = restartCount(pod);
  const last = statuses(pod).map((status) =>
    Date.parse(readString(status, "lastState.terminated.finishedAt") ?? ""),
  );
  const latest = Math.max(...last.filter((ms) => !Number.isNaN(ms)));
  return count > 0 && Number.isFinite(latest)
    ? `${count} (${humanDuration(nowMs - latest)} ago)`
    : String(count);
}

function statuses(pod: SimObject): readonly JsonRecord[] {
  return readRecords(pod, "status.containerStatuses");
}
