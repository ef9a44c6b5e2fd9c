import { backoffDelayMs, type BackoffPolicy, type Random } from "@bowline/core";

import type { Failure } from "../live/failure.ts";
import type { PageClock } from "../live/page-clock.ts";
import { LineSplitter } from "../logs/line-splitter.ts";
import { noteLine, parseLine, type NewLine } from "../logs/log-line.ts";
import { SeenLines } from "../logs/seen-lines.ts";
import type { ClusterLink, ClusterSocket } from "./cluster-socket.ts";
import { logPath, type LogSelection, type PodPlace } from "./pod-paths.ts";

/**
 * How far the log of one container has come.
 * - connecting: asked for
 * - following: lines come as they are written
 * - waiting: it broke off, or the container has not started (again); it is tried again
 * - complete: there will be nothing more
 * - failed: refused, and tried again only by hand
 */
export type PodLogState =
  | { readonly phase: "connecting" | "following" | "complete" }
  | { readonly phase: "waiting" | "failed"; readonly failure: Failure | undefined };

export interface PodLogOptions {
  readonly link: ClusterLink;
  readonly clock: PageClock;
  readonly random: Random;
  readonly place: PodPlace;
  readonly selection: Pick<LogSelection, "previous" | "sinceSeconds" | "sinceTime" | "tailLines">;
  readonly onLines: (lines: readonly NewLine[]) => void;
  readonly onState: (state: PodLogState) => void;
}

const protocols = ["binary.k8s.io"];
const reconnecting: BackoffPolicy = { baseMs: 500, maxMs: 8_000, factor: 2, jitter: 0.5 };
/** A container that crashes again and again is asked for less often. */
const restarting: BackoffPolicy = { baseMs: 2_000, maxMs: 15_000, factor: 1.5, jitter: 0.3 };
/** Refusals that do not go away by themselves; 400 is also said of a container that has not started yet. */
const finalStatuses = new Set([401, 403, 404]);

/** Follows what a container writes, over breaks and restarts, each line once. */
export class PodLog {
  readonly #options: PodLogOptions;
  readonly #seen = new SeenLines();
  #socket: ClusterSocket | undefined;
  #attempt = 0;
  #cancelRetry = (): void => {};
  #isClosed = false;
  /** The last connection ended in order: the container that wrote is gone, and another may follow. */
  #hasEnded = false;
  /** There will be no other run. */
  #isFinished = false;

  constructor(options: PodLogOptions) {
    this.#options = options;
    this.#open();
  }

  /** Tries at once. */
  retry(): void {
    if (this.#isClosed || this.#socket !== undefined) return;
    this.#cancelRetry();
    this.#open();
  }

  /** The pod is over: what is on its way still comes, and then nothing more. */
  finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    if (this.#socket !== undefined || !this.#hasEnded) return;
    this.#cancelRetry();
    this.#options.onState({ phase: "complete" });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRetry();
    this.#socket?.close();
  }

  #open(): void {
    const { link, place, selection, onState } = this.#options;
    const { sinceTime } = this.#seen;
    const from = sinceTime === undefined ? selection : { sinceTime };
    const isPrevious = selection.previous === true;
    const path = logPath(place, { ...from, ...(isPrevious ? { previous: true } : { follow: true }) });
    onState({ phase: "connecting" });
    this.#seen.resume();
    const splitter = new LineSplitter();
    const socket = link.open(path, protocols);
    this.#socket = socket;
    let hasOpened = false;
    socket.addEventListener("open", () => {
      hasOpened = true;
      onState({ phase: "following" });
    });
    socket.addEventListener("message", (event) => {
      if (this.#isClosed || !(event instanceof MessageEvent) || !(event.data instanceof ArrayBuffer)) return;
      this.#take(splitter.take(new Uint8Array(event.data)));
    });
    socket.addEventListener("close", (event) => {
      this.#socket = undefined;
      if (this.#isClosed) return;
      this.#take(splitter.end());
      const isInOrder = hasOpened && "code" in event && event.code === 1000;
      if (isInOrder) this.#ended();
      else if (hasOpened) this.#retryLater(undefined, reconnecting);
      else void this.#refused(path);
    });
  }

  #take(texts: readonly string[]): void {
    const lines: NewLine[] = [];
    for (const text of texts) {
      const line = parseLine(text, this.#seen.last);
      const before = this.#seen.last;
      const news = this.#seen.admit(line.time);
      if (news === "seen") continue;
      this.#attempt = 0;
      if (this.#hasEnded) lines.push(noteLine("the container was started again", line.time));
      else if (news === "gap") lines.push(noteLine(gapText(before.ms, line.time.ms), line.time));
      this.#hasEnded = false;
      lines.push(line);
    }
    if (lines.length > 0) this.#options.onLines(lines);
  }

  #ended(): void {
    const { selection, onState } = this.#options;
    if (selection.previous === true || this.#isFinished) {
      onState({ phase: "complete" });
      return;
    }
    this.#hasEnded = true;
    this.#retryLater(undefined, restarting);
  }

  /** A browser does not say why a WebSocket was refused; a plain request for the same is told. */
  async #refused(path: string): Promise<void> {
    const failure = await this.#options.link.whyRefused(path.replace("follow=true", "limitBytes=1"));
    if (this.#isClosed) return;
    if (failure !== undefined && finalStatuses.has(failure.status)) {
      const isGone = failure.status === 404 && this.#seen.last.ms > 0;
      this.#options.onState(isGone ? { phase: "complete" } : { phase: "failed", failure });
      return;
    }
    const isFinal = this.#options.selection.previous === true && failure?.status === 400;
    if (isFinal) this.#options.onState({ phase: "failed", failure });
    else this.#retryLater(failure, failure?.status === 400 ? restarting : reconnecting);
  }

  #retryLater(failure: Failure | undefined, policy: BackoffPolicy): void {
    const { clock, random, onState } = this.#options;
    const delayMs = backoffDelayMs(this.#attempt, policy, random);
    this.#attempt += 1;
    onState({ phase: "waiting", failure });
    this.#cancelRetry = clock.after(delayMs, () => this.#open());
  }
}

function gapText(fromMs: number, toMs: number): string {
  return `lines may be missing here, between ${new Date(fromMs).toISOString()} and ${new Date(toMs).toISOString()}`;
}
