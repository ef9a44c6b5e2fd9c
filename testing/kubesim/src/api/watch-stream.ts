import type { Socket } from "node:net";

import type { Clock } from "@bowline/core";

import type { SimEvent, SimObject } from "../store/sim-api.ts";
import type { SimStatusError } from "../store/sim-status-error.ts";
import type { Selection } from "./list-options.ts";
import type { Representation } from "./representation.ts";
import { encodeLine, seenThrough, type WatchEncoder } from "./watch-encoder.ts";
import type { OpenWatch, RequestTraits, WatchRegistry } from "./watch-registry.ts";
import type { WatchSink } from "./watch-sink.ts";

export interface WatchStreamInit {
  readonly sink: WatchSink;
  readonly clock: Clock;
  readonly registry: WatchRegistry;
  readonly encoder: WatchEncoder;
  readonly traits: RequestTraits;
  readonly form: Representation;
  readonly selection: Selection;
  readonly queueLimit: number;
  readonly timeoutMs: number;
  /** Absent where the client did not ask for bookmarks. */
  readonly bookmarkIntervalMs?: number;
  /** The revision up to which everything has been handed to this stream. */
  readonly deliveredRevision: () => number;
}

/** What a stream begins with. */
export interface WatchStart {
  /** The state so far, sent as ADDED. */
  readonly initial: readonly SimObject[];
  /** Changes since the state the client has. */
  readonly missed: readonly SimEvent[];
  /** Set where the client wants to know when the initial state is complete. */
  readonly endMark?: { readonly revision: number };
  readonly subscribe: (listener: (event: SimEvent) => void) => () => void;
}

const largestBatchBytes = 64 * 1024;

/**
 * One watch connection. It sends the initial state, then changes, at the pace of its reader:
 * - `initial`: objects of the snapshot are written while the socket takes them;
 * - `live`: queued changes are written while the socket takes them; a queue that grows too long ends the stream;
 * - `ended`: everything is released.
 */
export class WatchStream implements OpenWatch {
  readonly traits: RequestTraits;
  readonly #init: WatchStreamInit;
  readonly #queue: SimEvent[] = [];
  #initial: Iterator<SimObject> | undefined;
  #endMark: WatchStart["endMark"];
  #releases: (() => void)[] = [];
  readonly #batch: Buffer[] = [];
  #batchBytes = 0;
  #blocked = false;
  #stalled = false;
  #cutNext = false;
  /** The stream should be over, but a fault keeps its end from the client. */
  #overdue = false;
  #ended = false;

  constructor(init: WatchStreamInit) {
    this.#init = init;
    this.traits = init.traits;
  }

  get socket(): Socket | null {
    return this.#init.sink.socket;
  }

  start(start: WatchStart): void {
    const { sink, clock, registry, timeoutMs } = this.#init;
    sink.open({
      drained: () => {
        this.#blocked = false;
        this.#pump();
      },
      closed: () => this.#release(),
    });
    registry.add(this);
    this.#initial = start.initial[Symbol.iterator]();
    this.#endMark = start.endMark;
    this.#queue.push(...start.missed);
    this.#releases = [
      start.subscribe((event) => this.#onEvent(event)),
      clock.after(timeoutMs, () => this.#onTimeout()),
    ];
    this.#scheduleBookmark();
    this.#pump();
  }

  drop(): void {
    this.#init.sink.destroy();
    this.#release();
  }

  stall(): void {
    this.#stalled = true;
  }

  resume(): void {
    this.#stalled = false;
    if (this.#overdue) this.drop();
    else this.#pump();
  }

  cutNextLine(): void {
    this.#cutNext = true;
  }

  /** Ends the stream with the reason why, as the server does when it can no longer follow. */
  fail(error: SimStatusError): void {
    this.#write(encodeLine("ERROR", error.toStatus()));
    this.#end();
  }

  #onEvent(event: SimEvent): void {
    if (this.#ended || this.#overdue) return;
    if (!this.#waits()) {
      this.#send(event);
      return;
    }
    this.#queue.push(event);
    if (this.#queue.length > this.#init.queueLimit) this.#cutSlowReader();
  }

  /** A reader that cannot keep up would hold ever more of the past in memory. A stalled one notices when it resumes. */
  #cutSlowReader(): void {
    this.#queue.length = 0;
    this.#overdue = true;
    if (!this.#stalled) this.drop();
  }

  #waits(): boolean {
    return this.#blocked || this.#stalled || this.#initial !== undefined || this.#queue.length > 0;
  }

  #pump(): void {
    while (!this.#ended && !this.#blocked && !this.#stalled) {
      if (this.#initial) this.#sendNextInitial(this.#initial);
      else {
        const event = this.#queue.shift();
        if (!event) return;
        this.#send(event);
      }
    }
  }

  #sendNextInitial(objects: Iterator<SimObject>): void {
    const { form, selection } = this.#init;
    const next = objects.next();
    if (!next.done) {
      if (selection.matches(next.value)) this.#write(encodeLine("ADDED", form.object(next.value)));
      return;
    }
    this.#initial = undefined;
    if (this.#endMark) this.#sendBookmark(this.#endMark.revision, { "k8s.io/initial-events-end": "true" });
  }

  #send(event: SimEvent): void {
    const seen = seenThrough(this.#init.selection, event);
    if (seen) this.#write(this.#init.encoder.line(event, seen, this.#init.form));
  }

  #sendBookmark(revision: number, annotations?: Readonly<Record<string, string>>): void {
    this.#write(
      encodeLine(
        "BOOKMARK",
        this.#init.form.bookmark({
          resourceVersion: String(revision),
          ...(annotations ? { annotations } : {}),
        }),
      ),
    );
  }

  #scheduleBookmark(): void {
    const { clock, bookmarkIntervalMs } = this.#init;
    if (bookmarkIntervalMs === undefined) return;
    const cancel = clock.after(bookmarkIntervalMs, () => {
      this.#releases = this.#releases.filter((each) => each !== cancel);
      // A bookmark promises that everything before it was sent.
      if (!this.#waits()) this.#sendBookmark(this.#init.deliveredRevision());
      if (!this.#ended) this.#scheduleBookmark();
    });
    this.#releases.push(cancel);
  }

  #onTimeout(): void {
    if (this.#init.bookmarkIntervalMs !== undefined && !this.#waits())
      this.#sendBookmark(this.#init.deliveredRevision());
    this.#overdue = true;
    if (!this.#stalled) this.#end();
  }

  /** Lines of one turn of the event loop leave together: a burst of changes costs one write, not hundreds. */
  #write(line: Buffer): void {
    if (this.#ended) return;
    if (this.#cutNext) {
      this.#cutInside(line);
      return;
    }
    if (this.#batch.length === 0) process.nextTick(() => this.#flush());
    this.#batch.push(line);
    this.#batchBytes += line.length;
    if (this.#batchBytes >= largestBatchBytes) this.#flush();
  }

  #flush(): void {
    if (this.#batch.length === 0) return;
    this.#batchBytes = 0;
    if (!this.#init.sink.write(this.#batch.splice(0))) this.#blocked = true;
  }

  #cutInside(line: Buffer): void {
    this.#flush();
    this.#ended = true;
    this.#release();
    this.#init.sink.cut(line);
  }

  #end(): void {
    if (this.#ended) return;
    this.#flush();
    this.#release();
    this.#init.sink.end();
  }

  #release(): void {
    this.#ended = true;
    this.#init.registry.remove(this);
    for (const release of this.#releases.splice(0)) release();
    this.#queue.length = 0;
    this.#initial = undefined;
  }
}
