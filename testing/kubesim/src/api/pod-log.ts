import { readPath, readRecords, readString, type JsonRecord } from "../store/json-value.ts";
import type { SimObject } from "../store/sim-api.ts";
import { badRequest } from "../store/status-errors.ts";
import { namespaceOf, type ApiRequest } from "./api-request.ts";

interface LogLine {
  readonly timeMs: number;
  readonly text: string;
}

/** What a simulated container wrote; the simulated nodes keep it. */
export interface ContainerLog {
  lines(options?: { readonly previous?: boolean }): readonly LogLine[];
  follow(listener: (line: LogLine) => void): () => void;
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
  const stamped = query.get("timestamps") === "true";
  const write = ({ timeMs, text }: LogLine): void => {
    response.write(`${stamped ? `${new Date(timeMs).toISOString()} ` : ""}${text}\n`);
  };
  response.writeHead(200, { "content-type": "text/plain" });
  for (const line of selectLines(log.lines({ previous }), query, call.clock.now())) write(line);
  if (query.get("follow") === "true") follow(call, pod, log.follow(write));
  else response.end();
}

function selectLines(lines: readonly LogLine[], query: URLSearchParams, nowMs: number): readonly LogLine[] {
  const seconds = query.get("sinceSeconds");
  const since = query.get("sinceTime");
  const fromMs = seconds === null ? (since === null ? 0 : Date.parse(since)) : nowMs - Number(seconds) * 1000;
  const recent = fromMs > 0 ? lines.filter((line) => line.timeMs >= fromMs) : lines;
  const tail = query.get("tailLines");
  return tail === null ? recent : recent.slice(Math.max(0, recent.length - Number(tail)));
}

/** The stream ends with the pod, or when the reader goes away. */
function follow({ response, store }: ApiRequest, pod: SimObject, stopFollowing: () => void): void {
  response.flushHeaders();
  const unsubscribe = store.subscribe("pods", ({ type, object }) => {
    if (object.metadata.uid === pod.metadata.uid && hasEnded(type, object)) response.end();
  });
  response.once("close", () => {
    stopFollowing();
    unsubscribe();
  });
}

function hasEnded(type: string, pod: SimObject): boolean {
  const phase = readString(pod, "status.phase");
  return type === "DELETED" || phase === "Succeeded" || phase === "Failed";
}

function chooseContainer(pod: SimObject, asked: string | null): string {
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
