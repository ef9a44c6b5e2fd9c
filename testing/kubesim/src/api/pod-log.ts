import { readPath, readRecords, readString, type JsonRecord } from "../store/json-value.ts";
import type { SimObject } from "../store/sim-api.ts";
import { badRequest } from "../store/status-errors.ts";
import { namespaceOf, type ApiRequest } from "./api-request.ts";
import { logSink } from "./log-sink.ts";

interface LogLine {
  readonly timeMs: number;
  readonly text: string;
}

/** What a simulated container wrote; the simulated nodes keep it. */
export interface ContainerLog {
  lines(options?: { readonly previous?: boolean }): readonly LogLine[];
  follow(follower: LogFollower): () => void;
}

interface LogFollower {
  line(line: LogLine): void;
  end(): void;
}

export type LogSource = (pod: SimObject, container: string) => ContainerLog;

/** The log of a container that nothing runs. */
export const emptyLog: ContainerLog = { lines: () => [], follow: () => () => undefined };

/** `pods/NAME/log`: what a container wrote, and with `follow` what it goes on to write. */
export function handleLog(call: ApiRequest, source: LogSource): void {
  const { query, response } = call;
  const pod = call.store.live(call.type, namespaceOf(call), call.target.name ?? "");
  const container = chooseContainer(pod, query.get("container"));
  const previous = query.get("previous") === "true";
  checkStarted(pod, container, previous);
  const log = source(pod, container);
  const isStamped = query.get("timestamps") === "true";
  const selected = selectLines(log.lines({ previous }), query, call.clock.now());
  const text = ({ timeMs, text: line }: LogLine): string =>
    `${isStamped ? `${new Date(timeMs).toISOString()} ` : ""}${line}\n`;
  const sink = logSink(response, call.upgrade, selected.map(text).join(""));
  if (sink === undefined) return;
  if (query.get("follow") !== "true" || previous) {
    sink.end();
    return;
  }
  const stopFollowing = log.follow({ line: (line) => sink.write(text(line)), end: () => sink.end() });
  const unsubscribe = call.store.subscribe("pods", ({ type, object }) => {
    if (object.metadata.uid === pod.metadata.uid && hasEnded(type, object, log)) sink.end();
  });
  sink.onClose(() => {
    stopFollowing();
    unsubscribe();
  });
}

function selectLines(lines: readonly LogLine[], query: URLSearchParams, nowMs: number): readonly LogLine[] {
  const seconds = query.get("sinceSeconds");
  const since = query.get("sinceTime");
  // The real server hands times on without their fractions.
  const sinceMs = since === null ? 0 : Math.floor(Date.parse(since) / 1000) * 1000;
  const fromMs = seconds === null ? sinceMs : nowMs - Number(seconds) * 1000;
  const recent = fromMs > 0 ? lines.filter((line) => line.timeMs >= fromMs) : lines;
  const tail = query.get("tailLines");
  return tail === null ? recent : recent.slice(Math.max(0, recent.length - Number(tail)));
}

/** Where nothing runs, nobody but the pod's status says that its container has ended. */
function hasEnded(type: string, pod: SimObject, log: ContainerLog): boolean {
  const phase = log === emptyLog ? readString(pod, "status.phase") : undefined;
  return type === "DELETED" || phase === "Succeeded" || phase === "Failed";
}

/** The container that is asked for, or the only one. */
export function chooseContainer(pod: SimObject, asked: string | null): string {
  const main = namesOf(readRecords(pod, "spec.containers"));
  const init = namesOf(readRecords(pod, "spec.initContainers"));
  const { name } = pod.metadata;
  if (asked === null || asked === "") {
    const [only = "", second] = main;
    if (second === undefined && init.length === 0) return only;
    const initPart = init.length > 0 ? ` or one of the init containers: [${init.join(" ")}]` : "";
    throw badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${main.join(" ")}]${initPart}`,
    );
  }
  if (![...main, ...init].includes(asked))
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  return asked;
}

function namesOf(containers: readonly JsonRecord[]): string[] {
  return containers.map((container) => String(container["name"]));
}

function checkStarted(pod: SimObject, container: string, previous: boolean): void {
  const { name } = pod.metadata;
  if (!readString(pod, "spec.nodeName")) throw badRequest(`pod ${name} does not have a host assigned`);
  const statuses = [
    ...readRecords(pod, "status.containerStatuses"),
    ...readRecords(pod, "status.initContainerStatuses"),
  ];
  const status = statuses.find((each) => each["name"] === container);
  const ranBefore = readPath(status, "lastState.terminated") !== undefined;
  if (previous && !ranBefore)
    throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  const waiting = readString(status, "state.waiting.reason");
  if (waiting === undefined || ranBefore) return;
  const pulls =
    waiting === "ErrImagePull" || waiting === "ImagePullBackOff" || waiting === "ErrImageNeverPull";
  throw badRequest(
    `container "${container}" in pod "${name}" is waiting to start: ${pulls ? "trying and failing to pull image" : waiting}`,
  );
}
