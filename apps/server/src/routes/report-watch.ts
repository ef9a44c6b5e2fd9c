import type { ServerResponse } from "node:http";

import type { ReportChange as ReportChangeBody } from "@bowline/api";
import type { Log, LogPage, ReportChange } from "@bowline/store";

import { LiveFeed } from "../watch/live-feed.ts";
import { serverSentEvent } from "../watch/server-sent-event.ts";
import { resumption, type Opening, type WatchView } from "../watch/watcher.ts";
import type { WatcherPool } from "../watch/watcher-pool.ts";
import type { ViewScope } from "./view-scope.ts";

export interface ReportWatchRequest {
  readonly scope: ViewScope;
  /** Of clusters; all of them when not given. */
  readonly names: readonly string[] | undefined;
  /** All of them when not given. */
  readonly topic: ReportChange["kind"] | undefined;
  /** Send what has changed after this resourceVersion; undefined for what changes from now on. */
  readonly since: string | undefined;
  /** Ends the watch. Its reason is told to the client when it is a `BowlineError`. */
  readonly signal: AbortSignal;
  readonly requestId: string;
}

type Wanted = Pick<ReportWatchRequest, "scope" | "names" | "topic">;
type ReportLog = Log<ReportChange>;

/** Watches of what agents report: that something has changed, and not what. */
export class ReportWatch {
  readonly #log: ReportLog;
  readonly #pool: WatcherPool;
  readonly #feed: LiveFeed<ReportChange>;

  constructor(log: ReportLog, pool: WatcherPool) {
    const { clock, limits } = pool;
    this.#log = log;
    this.#pool = pool;
    this.#feed = new LiveFeed({ log, clock, ...limits });
  }

  /** As `WatchService.serve`. */
  serve(request: ReportWatchRequest, response: ServerResponse): Promise<void> {
    const { since, signal, requestId } = request;
    const view = new SeenReports(request, this.#log);
    const opening = since === undefined ? view.fromNow() : resumption(view, since);
    return this.#pool.serve({ kind: "Report", feed: this.#feed, view, opening, signal, requestId }, response);
  }
}

/** The changes that somebody asked for and may hear of. */
class SeenReports implements WatchView<ReportChange> {
  readonly key: string;
  readonly #wanted: Wanted;
  readonly #log: ReportLog;

  constructor(wanted: Wanted, log: ReportLog) {
    this.key = JSON.stringify([wanted.scope.key, wanted.names, wanted.topic]);
    this.#wanted = wanted;
    this.#log = log;
  }

  eventOf({ clusterId, kind, revision }: ReportChange): Buffer | undefined {
    const { scope, names, topic } = this.#wanted;
    const cluster = scope.nameOf(clusterId);
    if (cluster === undefined || names?.includes(cluster) === false) return undefined;
    if (topic !== undefined && topic !== kind) return undefined;
    const object: ReportChangeBody = { cluster, topic: kind, resourceVersion: String(revision) };
    return Buffer.from(serverSentEvent(JSON.stringify({ type: "MODIFIED", object }), revision));
  }

  read(after: number, limit: number): Promise<LogPage<ReportChange>> {
    const { topic } = this.#wanted;
    return this.#log.read({ after, limit, ...(topic === undefined ? {} : { kinds: [topic] }) });
  }

  /** Nothing that was before is told: whoever begins to watch has just asked. */
  // oxlint-disable-next-line require-yield -- an opening without events is one
  async *fromNow(): Opening {
    return this.#log.head();
  }
}
