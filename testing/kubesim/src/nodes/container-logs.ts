import type { WorkLoop, WorkQueue } from "../controllers/loop/work-loop.ts";
import type { ContainerLife } from "./container-life.ts";
import { nextChatter, runLines, type ContainerLog, type LogLine } from "./container-log.ts";

const keptLines = 1000;

interface Journal {
  /** Lines a test or a demo put in by hand, oldest first. */
  written: LogLine[];
  readonly followers: Set<(line: LogLine) => void>;
  /** Up to here followers have been told. */
  toldMs: number;
}

export interface ContainerLogsOptions {
  readonly loop: WorkLoop;
  /** The container behind a key, while its pod exists. */
  readonly find: (key: string) => ContainerLife | undefined;
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
      follow: (listener) => this.#follow(key, listener),
    };
  }

  write(key: string, text: string): void {
    const journal = this.#journal(key);
    const line = { timeMs: this.#nowMs(), text };
    journal.written = [...journal.written.slice(1 - keptLines), line];
    for (const listener of journal.followers) listener(line);
  }

  /** A container started, ended or went: followers may have something to hear. */
  changed(key: string): void {
    if (this.#journals.has(key)) this.#queue.add(key);
  }

  forget(key: string): void {
    this.#journals.delete(key);
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
    return all.toSorted((a, b) => a.timeMs - b.timeMs).slice(-keptLines);
  }

  #follow(key: string, listener: (line: LogLine) => void): () => void {
    const journal = this.#journal(key);
    if (journal.followers.size === 0) journal.toldMs = this.#nowMs();
    journal.followers.add(listener);
    this.#queue.add(key);
    return () => void journal.followers.delete(listener);
  }

  #journal(key: string): Journal {
    const journal = this.#journals.get(key) ?? { written: [], followers: new Set(), toldMs: this.#nowMs() };
    this.#journals.set(key, journal);
    return journal;
  }

  /** Tells followers what the container wrote by itself since the last time. */
  #tell(key: string): void {
    const journal = this.#journals.get(key);
    const life = this.#options.find(key);
    if (journal === undefined || journal.followers.size === 0 || life === undefined) return;
    const nowMs = this.#nowMs();
    const fresh = life.runs
      .flatMap((run) => runLines(run, life.image, nowMs))
      .filter(({ timeMs }) => timeMs > journal.toldMs);
    journal.toldMs = nowMs;
    for (const line of fresh) {
      for (const listener of journal.followers) listener(line);
    }
    const run = life.runs.at(-1);
    if (run !== undefined && run.endedMs === undefined) {
      this.#queue.addAfter(key, nextChatter(run, nowMs).timeMs - nowMs);
    }
  }

  #nowMs(): number {
    return this.#options.loop.clock.now();
  }
}
