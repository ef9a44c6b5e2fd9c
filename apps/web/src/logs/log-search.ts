import type { LogLine } from "./log-line.ts";
import type { LogQuery, MatchRange } from "./log-query.ts";

/** To the worker: lines to look at, and with the first of them what to look for. */
export interface SearchRequest {
  /** Of the search; answers to earlier ones are not looked at. */
  readonly number: number;
  readonly query?: LogQuery;
  readonly ids: Float64Array;
  /** The lines of these ids, with an end of line between them: one text is handed over much quicker than many. */
  readonly text: string;
}

/** The lines of a request, with their ids. */
export function* requestedLines({
  ids,
  text,
}: SearchRequest): Generator<readonly [id: number, text: string]> {
  if (ids.length === 0) return;
  const lines = text.split("\n");
  for (const [index, id] of ids.entries()) yield [id, lines[index] ?? ""];
}

export interface SearchAnswer {
  readonly number: number;
  readonly matches: (readonly [id: number, ranges: readonly MatchRange[]])[];
  readonly searched: number;
}

/** As much of a worker as is needed. */
export interface SearchWorker {
  post(request: SearchRequest): void;
  terminate(): void;
}

export interface LogSearchOptions {
  readonly openWorker: (onAnswer: (answer: SearchAnswer) => void) => SearchWorker;
  /** Calls back after a while; returns what cancels that. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** Something else is to be shown: at once when a search begins and when it is done, else now and then. */
  readonly onChange: () => void;
}

/**
 * - idle: nothing is searched for
 * - searching: not all lines have been looked at
 * - found: all lines that are here have been
 * - tooSlow: the expression took too long, and was given up
 */
export type SearchState = "idle" | "searching" | "found" | "tooSlow";

const batchLines = 20_000;
const patienceMs = 3_000;
const tellMs = 250;

/** A search through lines that are there and lines that still come, done by a worker. */
export class LogSearch {
  readonly #options: LogSearchOptions;
  readonly #matches = new Map<number, readonly MatchRange[]>();
  #worker: SearchWorker | undefined;
  #number = 0;
  #pending = 0;
  #state: SearchState = "idle";
  #cancelPatience = (): void => {};
  #cancelTelling: (() => void) | undefined;

  constructor(options: LogSearchOptions) {
    this.#options = options;
  }

  get state(): SearchState {
    return this.#state;
  }

  /** The places of matches by the ids of lines. */
  get matches(): ReadonlyMap<number, readonly MatchRange[]> {
    return this.#matches;
  }

  /** Begins anew with other words; those of before are forgotten. */
  start(query: LogQuery, lines: readonly LogLine[]): void {
    this.stop();
    this.#number += 1;
    this.#worker = this.#options.openWorker((answer) => this.#take(answer));
    this.#state = "searching";
    this.#post([], query);
    this.add(lines);
    this.#options.onChange();
  }

  /** Lines that have come since. */
  add(lines: readonly LogLine[]): void {
    if (this.#worker === undefined) return;
    for (let at = 0; at < lines.length; at += batchLines) this.#post(lines.slice(at, at + batchLines));
  }

  /** Lines that are gone. */
  forget(ids: Iterable<number>): void {
    for (const id of ids) this.#matches.delete(id);
  }

  stop(): void {
    this.#end("idle");
    this.#matches.clear();
  }

  #post(lines: readonly LogLine[], query?: LogQuery): void {
    this.#pending += 1;
    this.#worker?.post({
      number: this.#number,
      ids: Float64Array.from(lines, ({ id }) => id),
      text: lines.map(({ plain }) => plain).join("\n"),
      ...(query === undefined ? {} : { query }),
    });
    if (this.#pending === 1) this.#wait();
  }

  #take({ number, matches }: SearchAnswer): void {
    if (number !== this.#number || this.#worker === undefined) return;
    for (const [id, ranges] of matches) this.#matches.set(id, ranges);
    this.#pending -= 1;
    this.#cancelPatience();
    if (this.#pending > 0) this.#wait();
    if (this.#pending === 0 && this.#state === "searching") {
      this.#state = "found";
      this.#tell();
    } else this.#cancelTelling ??= this.#options.after(tellMs, () => this.#tell());
  }

  #tell(): void {
    this.#cancelTelling?.();
    this.#cancelTelling = undefined;
    this.#options.onChange();
  }

  #wait(): void {
    this.#cancelPatience = this.#options.after(patienceMs, () => {
      this.#end("tooSlow");
      this.#tell();
    });
  }

  #end(state: SearchState): void {
    this.#cancelPatience();
    this.#cancelTelling?.();
    this.#cancelTelling = undefined;
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#pending = 0;
    this.#state = state;
  }
}
