import type { WorkLoop, WorkQueue } from "../controllers/loop/work-loop.ts";
import type { ContainerLife } from "./container-life.ts";
import {
  endLines,
  nextChatter,
  runLines,
  workLines,
  type ContainerLog,
  type LogFollower,
  type LogLine,
} from "./container-log.ts";

interface Journal {
  /** Lines a test or a demo put in by hand, oldest first; up to twice as many as are kept. */
  readonly written: LogLine[];
  /** Each with the start of the run it follows; undefined where nothing ran. */
  readonly followers: Map<LogFollower, number | undefined>;
  /** Up to here followers have been told. */
  toldMs: number;
}

export interface ContainerLogsOptions {
  readonly loop: WorkLoop;
  /** The container behind a key, while its pod exists. */
  readonly find: (key: string) => ContainerLife | undefined;
  readonly keptLines: number;
}

/** The logs of all containers, by `uid/container`. A container costs nothing until somebody asks. */
export class ContainerLogs {
  readonly #options: ContainerLogsOptions;
  readonly #journals = new Map<string, Journal>();
  readonly #queue: WorkQueue;

  constructor(options: ContainerLogsOptions) {
    this.#options = options;
    this.#queue = options.loop.queue("container-logs", (key) => this.#tell(key));
  }

  of(key: string): ContainerLog {
    return {
      lines: (options) => this.#lines(key, options?.previous === true),
      follow: (follower) => this.#follow(key, follower),
    };
  }

  write(key: string, text: string): void {
    const journal = this.#journal(key);
    const line = { timeMs: this.#nowMs(), text };
    journal.written.push(line);
    // Not for every line: a container that writes thousands a second would copy all of them as often.
    const { keptLines } = this.#options;
    if (journal.written.length >= 2 * keptLines)
      journal.written.splice(0, journal.written.length - keptLines);
    for (const follower of journal.followers.keys()) follower.line(line);
  }

  /** A container started, ended or went: followers may have something to hear. */
  changed(key: string): void {
    if (this.#journals.has(key)) this.#queue.add(key);
  }

  /** The pod is leaving: followers hear what was written last, and that it is over. */
  forget(key: string): void {
    const journal = this.#journals.get(key);
    if (journal === undefined) return;
    this.#tell(key);
    this.#journals.delete(key);
    for (const follower of journal.followers.keys()) follower.end();
    journal.followers.clear();
  }

  #lines(key: string, wantsPrevious: boolean): LogLine[] {
    const life = this.#options.find(key);
    const run = life?.runs.at(wantsPrevious ? -2 : -1);
    if (life === undefined || run === undefined) return [];
    const endMs = run.endedMs ?? this.#nowMs();
    const written = (this.#journals.get(key)?.written ?? []).filter(
      ({ timeMs }) => timeMs >= run.startedMs && timeMs <= endMs,
    );
    const all = [...runLines(run, life.image, this.#nowMs()), ...written];
    return all.toSorted((a, b) => a.timeMs - b.timeMs).slice(-this.#options.keptLines);
  }

  #follow(key: string, follower: LogFollower): () => void {
    const journal = this.#journal(key);
    if (journal.followers.size === 0) journal.toldMs = this.#nowMs();
    const run = this.#options.find(key)?.runs.at(-1);
    journal.followers.set(follower, run?.endedMs === undefined ? run?.startedMs : undefined);
    this.#queue.add(key);
    return () => void journal.followers.delete(follower);
  }

  #journal(key: string): Journal {
    const journal: Journal = this.#journals.get(key) ?? {
      written: [],
      followers: new Map(),
      toldMs: this.#nowMs(),
    };
    this.#journals.set(key, journal);
    return journal;
  }

  /** Tells followers what the container wrote by itself since the last time. */
  #tell(key: string): void {
    const journal = this.#journals.get(key);
    const life = this.#options.find(key);
    if (journal === undefined || journal.followers.size === 0 || life === undefined) return;
    const nowMs = this.#nowMs();
    const { toldMs } = journal;
    journal.toldMs = nowMs;
    for (const [follower, startedMs] of journal.followers) {
      const run = life.runs.find((each) => each.startedMs === startedMs);
      for (const line of run === undefined ? [] : workLines(run, life.image, nowMs)) {
        if (line.timeMs > toldMs) follower.line(line);
      }
      for (const line of run === undefined ? [] : endLines(run)) follower.line(line);
      if (run !== undefined && run.endedMs === undefined) continue;
      journal.followers.delete(follower);
      follower.end();
    }
    const run = life.runs.at(-1);
    if (journal.followers.size > 0 && run !== undefined && run.endedMs === undefined) {
      this.#queue.addAfter(key, nextChatter(run, nowMs).timeMs - nowMs);
    }
  }

  #nowMs(): number {
    return this.#options.loop.clock.now();
  }
}
