import type { Random } from "@bowline/core";

import type { Failure } from "../live/failure.ts";
import { Gathering } from "../live/gathering.ts";
import type { PageClock } from "../live/page-clock.ts";
import type { Streams } from "../live/streams.ts";
import type { LogLine, NewLine } from "../logs/log-line.ts";
import { LogRing } from "../logs/log-ring.ts";
import type { ClusterLink } from "./cluster-socket.ts";
import { PodLog, type PodLogState } from "./pod-log.ts";
import type { LogSelection, PodSelection } from "./pod-paths.ts";
import { watchPods, type WatchedPod } from "./watch-pods.ts";

/** Whose logs: one pod, or all that have some labels, now and later; of one container or of all. */
export interface LogTarget extends PodSelection {
  readonly container?: string | undefined;
}

export type LogPart = Pick<LogSelection, "previous" | "sinceSeconds" | "sinceTime">;

/** One container whose lines are among those shown. */
export interface LogSource {
  readonly cluster: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly state: PodLogState | NotStarted;
  readonly isGone: boolean;
}

/** Nothing is asked for yet: the pod says that there is nothing to read, and will say when there is. */
interface NotStarted {
  readonly phase: "notStarted";
  readonly reason: string;
}

/** What is there to show; another object whenever something has changed. */
export interface LogSnapshot {
  readonly lines: readonly LogLine[];
  readonly sources: readonly LogSource[];
  readonly lost: number;
  /** How many lines have come in all. */
  readonly total: number;
  /** The pods of every target have been told once. */
  readonly isListed: boolean;
  readonly failure: Failure | undefined;
  /** More containers match than are followed. */
  readonly leftOut: number;
}

export interface LogFeedOptions {
  readonly streams: Streams;
  readonly link: ClusterLink;
  readonly clock: PageClock;
  readonly random: Random;
  readonly targets: readonly LogTarget[];
  readonly part: LogPart;
  /** Runs a callback before the next picture is drawn. */
  readonly schedule: (callback: () => void) => void;
}

/** Each is a connection of its own, for the browser, the server and the cluster. */
const mostSources = 40;
/** Of containers that have written for weeks only the end is asked for, if no time is. */
const firstLines = 5_000;

/** Told which lines came and which went, before the snapshot changes. */
export interface LineListener {
  added(lines: readonly LogLine[]): void;
  dropped(lines: readonly LogLine[]): void;
}

/** Containers of such a pod are not started again. */
const finishedPhases = new Set(["Succeeded", "Failed"]);

type Place = Omit<LogSource, "state" | "isGone">;

interface Kept {
  source: LogSource;
  log: PodLog | undefined;
}

/** The lines of several containers, merged by time. They are followed for as long as somebody listens. */
export class LogFeed {
  readonly #options: LogFeedOptions;
  readonly #ring = new LogRing();
  readonly #sources: Kept[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #lineListeners = new Set<LineListener>();
  #stops: (() => void)[] = [];
  readonly #listed = new Set<number>();
  readonly #leftOut = new Set<string>();
  #waiting: LogLine[] = [];
  #nextId = 1;
  readonly #changes: Gathering;
  #failure: Failure | undefined;
  #snapshot: LogSnapshot;

  constructor(options: LogFeedOptions) {
    this.#options = options;
    const { clock, schedule } = options;
    this.#changes = new Gathering({ clock, schedule, tell: () => this.#flush() });
    this.#snapshot = this.#newSnapshot();
  }

  get snapshot(): LogSnapshot {
    return this.#snapshot;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#stops = this.#options.targets.map((target, index) => this.#watch(target, index));
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#close();
    };
  };

  onLines(listener: LineListener): () => void {
    this.#lineListeners.add(listener);
    return () => this.#lineListeners.delete(listener);
  }

  /** Tries what has failed again. */
  retry(): void {
    for (const { log, source } of this.#sources) if (source.state.phase === "failed") log?.retry();
  }

  /** What is on the page goes; what comes from now on stays. */
  clear(): void {
    this.#tellDropped(this.#ring.lines.slice());
    this.#ring.clear();
    this.#changes.hurry();
    this.#changes.add();
  }

  #close(): void {
    for (const stop of this.#stops) stop();
    for (const { log } of this.#sources) log?.close();
    this.#sources.length = 0;
    this.#waiting = [];
    this.#ring.clear();
    this.#listed.clear();
    this.#changes.close();
  }

  #watch(target: LogTarget, index: number): () => void {
    const { streams, clock, random } = this.#options;
    return watchPods({
      streams,
      clock,
      random,
      selection: target,
      onPod: (pod) => this.#join(target, pod),
      onGone: (name) => this.#leave(target, name),
      onListed: () => {
        this.#listed.add(index);
        this.#failure = undefined;
        this.#changes.add();
      },
      onFailure: (failure) => {
        this.#failure = failure;
        this.#changes.add();
      },
    });
  }

  #join(target: LogTarget, pod: WatchedPod): void {
    const { cluster, namespace } = target;
    for (const { name, isInit, waitsFor } of pod.containers) {
      if (target.container === undefined ? isInit : target.container !== name) continue;
      const kept = this.#kept({ cluster, namespace, pod: pod.name, container: name });
      if (kept === undefined) continue;
      if (kept.log === undefined && waitsFor === undefined) this.#follow(kept);
      else if (kept.log === undefined && waitsFor !== undefined) {
        kept.source = { ...kept.source, state: { phase: "notStarted", reason: waitsFor } };
      } else if (finishedPhases.has(pod.phase)) kept.log?.finish();
    }
    this.#changes.add();
  }

  /** The source of a container, made if it is new; undefined where there are too many. */
  #kept(place: Place): Kept | undefined {
    const known = this.#sources.find(({ source }) => isSame(source, place));
    if (known !== undefined) return known;
    if (this.#sources.length >= mostSources) {
      this.#leftOut.add(`${place.cluster} ${place.pod} ${place.container}`);
      return undefined;
    }
    const made: Kept = {
      source: { ...place, state: { phase: "connecting" }, isGone: false },
      log: undefined,
    };
    this.#sources.push(made);
    return made;
  }

  #follow(kept: Kept): void {
    const { link, clock, random, part } = this.#options;
    const index = this.#sources.indexOf(kept);
    const isWhole = part.sinceSeconds !== undefined || part.sinceTime !== undefined;
    kept.log = new PodLog({
      link,
      clock,
      random,
      place: kept.source,
      selection: { ...part, ...(isWhole ? {} : { tailLines: firstLines }) },
      onLines: (lines) => this.#take(index, lines),
      onState: (state) => {
        kept.source = { ...kept.source, state };
        this.#changes.add();
      },
    });
  }

  /** Its last lines may still be on their way; there is no next run. */
  #leave({ cluster, namespace }: LogTarget, pod: string): void {
    for (const kept of this.#sources) {
      const { source } = kept;
      if (source.cluster === cluster && source.namespace === namespace && source.pod === pod) {
        kept.source = { ...source, isGone: true };
        kept.log?.finish();
      }
    }
    this.#changes.add();
  }

  #take(source: number, lines: readonly NewLine[]): void {
    for (const line of lines) this.#waiting.push({ ...line, source, id: this.#nextId++ });
    this.#changes.add(lines.length);
  }

  #flush(): void {
    const added = this.#waiting;
    this.#waiting = [];
    if (added.length > 0) {
      const dropped = this.#ring.add(added);
      for (const listener of this.#lineListeners) listener.added(added);
      this.#tellDropped(dropped);
    }
    this.#snapshot = this.#newSnapshot();
    for (const listener of this.#listeners) listener();
  }

  #tellDropped(lines: readonly LogLine[]): void {
    if (lines.length === 0) return;
    for (const listener of this.#lineListeners) listener.dropped(lines);
  }

  #newSnapshot(): LogSnapshot {
    return {
      lines: this.#ring.lines,
      sources: this.#sources.map(({ source }) => source),
      lost: this.#ring.lost,
      total: this.#nextId - 1,
      isListed: this.#listed.size === this.#options.targets.length,
      failure: this.#failure,
      leftOut: this.#leftOut.size,
    };
  }
}

function isSame(a: LogSource, b: Place): boolean {
  return (
    a.cluster === b.cluster && a.namespace === b.namespace && a.pod === b.pod && a.container === b.container
  );
}
