import { backoffDelayMs, isRecord, type BackoffPolicy, type Random } from "@bowline/core";

import { readFailure, type Failure } from "../live/failure.ts";
import type { PageClock } from "../live/page-clock.ts";
import type { Streams } from "../live/streams.ts";
import { LineSplitter } from "../logs/line-splitter.ts";
import { podsPath, type PodSelection } from "./pod-paths.ts";

/** As much of a pod as is needed to read its logs, or to open a shell in it. */
export interface WatchedPod {
  readonly name: string;
  readonly containers: readonly WatchedContainer[];
  readonly phase: string;
}

interface WatchedContainer {
  readonly name: string;
  readonly isInit: boolean;
  /** Why it has not started; undefined once it has, so that there is something to read. */
  readonly waitsFor: string | undefined;
}

export interface WatchPodsOptions {
  readonly streams: Streams;
  readonly clock: PageClock;
  readonly random: Random;
  readonly selection: PodSelection;
  readonly onPod: (pod: WatchedPod) => void;
  readonly onGone: (name: string) => void;
  /** Everything that is there has been told once; also when there is nothing. */
  readonly onListed: () => void;
  readonly onFailure: (failure: Failure) => void;
}

const retrying: BackoffPolicy = { baseMs: 500, maxMs: 15_000, factor: 2, jitter: 0.5 };
/** Asked anew after a while: a watch of a cluster that is gone is as quiet as one of a cluster where nothing happens. */
const watchSeconds = 300;

/** Tells the pods of a selection, and each that joins them, until the returned function is called. */
export function watchPods(options: WatchPodsOptions): () => void {
  const { streams, clock, random, selection } = options;
  let attempt = 0;
  let close = (): void => {};
  let cancelRetry = (): void => {};
  const open = (): void => {
    let status = 0;
    let text = "";
    let headers: Readonly<Record<string, string>> = {};
    const lines = new LineSplitter(longestEvent);
    // Without a version to begin from, a watch begins with all that is there.
    close = streams.open(
      { get: `${podsPath(selection)}&watch=1&timeoutSeconds=${watchSeconds}` },
      {
        onStart(code, answered) {
          status = code;
          headers = answered;
          if (code !== 200) return;
          attempt = 0;
          options.onListed();
        },
        onBytes(bytes) {
          if (status === 200) for (const line of lines.take(bytes)) tell(line, options);
          else text += new TextDecoder().decode(bytes, { stream: true });
        },
        onEnd() {
          if (status !== 0 && status !== 200) options.onFailure(readFailure(status, text, headers));
          const delayMs = backoffDelayMs(attempt, retrying, random);
          attempt += 1;
          cancelRetry = clock.after(delayMs, open);
        },
      },
    );
  };
  open();
  return () => {
    close();
    cancelRetry();
  };
}

/** Several times as long as the largest object that a cluster keeps. */
const longestEvent = 8 * 1024 * 1024;

function tell(line: string, { onPod, onGone }: WatchPodsOptions): void {
  const event = eventIn(line);
  if (!isRecord(event) || !isRecord(event["object"])) return;
  const pod = podOf(event["object"]);
  if (pod === undefined) return;
  if (event["type"] === "DELETED") onGone(pod.name);
  else if (event["type"] === "ADDED" || event["type"] === "MODIFIED") onPod(pod);
}

/** Undefined for what is no JSON: one event that cannot be read is no reason to miss the others. */
function eventIn(line: string): unknown {
  if (line.trim() === "") return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** As long as a name can be, and no way up in an address; anything else would be refused for its address alone. */
const canBeAsked = /^(?!\.{1,2}$)[^]{1,253}$/u;

/** Undefined for what is no pod. */
function podOf(object: Readonly<Record<string, unknown>>): WatchedPod | undefined {
  const { metadata, spec, status } = object;
  const name = isRecord(metadata) ? metadata["name"] : undefined;
  if (typeof name !== "string" || !canBeAsked.test(name) || !isRecord(spec)) return undefined;
  const told = isRecord(status) ? status : {};
  return {
    name,
    containers: [
      ...containersOf(spec["initContainers"], told["initContainerStatuses"], true),
      ...containersOf(spec["containers"], told["containerStatuses"], false),
    ],
    phase: typeof told["phase"] === "string" ? told["phase"] : "Unknown",
  };
}

function containersOf(containers: unknown, statuses: unknown, isInit: boolean): WatchedContainer[] {
  return recordsOf(containers).flatMap(({ name }) => {
    if (typeof name !== "string" || !canBeAsked.test(name)) return [];
    const status = recordsOf(statuses).find((each) => each["name"] === name) ?? {};
    return [{ name, isInit, waitsFor: waitingReason(status) }];
  });
}

function waitingReason({ state, lastState }: Readonly<Record<string, unknown>>): string | undefined {
  const now = isRecord(state) ? state : {};
  const ranBefore = isRecord(lastState) && isRecord(lastState["terminated"]);
  if (isRecord(now["running"]) || isRecord(now["terminated"]) || ranBefore) return undefined;
  const { reason, message } = isRecord(now["waiting"]) ? now["waiting"] : {};
  const said = [reason, message].filter((text) => typeof text === "string" && text !== "");
  return said.length === 0 ? "it is not on a node yet" : said.join(": ");
}

function recordsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
