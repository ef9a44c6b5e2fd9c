import type { ServerResponse } from "node:http";

import type { changeTypes } from "@bowline/api";
import type { LogPage, ViewLog, ViewLogItem } from "@bowline/store";

import { LiveFeed } from "../watch/live-feed.ts";
import { serverSentEvent } from "../watch/server-sent-event.ts";
import { resumption, type Opening, type WatchView } from "../watch/watcher.ts";
import type { WatcherPool } from "../watch/watcher-pool.ts";
import type { ViewScope } from "./view-scope.ts";

export interface ViewWatchRequest {
  readonly scope: ViewScope;
  /** All of them when not given. */
  readonly names: readonly string[] | undefined;
  /** Send what has changed after this resourceVersion; undefined for everything there is, and then what changes. */
  readonly since: string | undefined;
  /** Ends the watch. Its reason is told to the client when it is a `BowlineError`. */
  readonly signal: AbortSignal;
  readonly requestId: string;
}

/** Watches of views: of all clusters that somebody may see, or of one. */
export class ViewWatch {
  readonly #views: ViewLog;
  readonly #pool: WatcherPool;
  readonly #feed: LiveFeed<ViewLogItem>;
  readonly #encoder = new ViewEncoder();

  constructor(views: ViewLog, pool: WatcherPool) {
    const { clock, limits } = pool;
    this.#views = views;
    this.#pool = pool;
    this.#feed = new LiveFeed({ log: views.feed, clock, ...limits });
  }

  /** As `WatchService.serve`. */
  serve(request: ViewWatchRequest, response: ServerResponse): Promise<void> {
    const { since, signal, requestId } = request;
    const view = new SeenViews(request, this.#views, this.#encoder);
    const opening = since === undefined ? view.everything() : resumption(view, since);
    return this.#pool.serve({ kind: "View", feed: this.#feed, view, opening, signal, requestId }, response);
  }
}

/** So many views are read at once before the first bookmark; the store has them be fewer where they are large. */
const openingLimit = 100;

/** The views that somebody asked for and may see. */
class SeenViews implements WatchView<ViewLogItem> {
  readonly key: string;
  readonly #wanted: Pick<ViewWatchRequest, "scope" | "names">;
  readonly #views: ViewLog;
  readonly #encoder: ViewEncoder;

  constructor(wanted: Pick<ViewWatchRequest, "scope" | "names">, views: ViewLog, encoder: ViewEncoder) {
    this.key = JSON.stringify([wanted.scope.key, wanted.names]);
    this.#wanted = wanted;
    this.#views = views;
    this.#encoder = encoder;
  }

  eventOf(item: ViewLogItem): Buffer | undefined {
    const { scope, names } = this.#wanted;
    if (names?.includes(item.name) === false) return undefined;
    return this.#encoder.encode(item, scope);
  }

  read(after: number, limit: number): Promise<LogPage<ViewLogItem>> {
    return this.#views.feed.read({ after, kinds: this.#wanted.names, limit });
  }

  /** Each once: one that has changed since the first page comes after the bookmark, with its number. */
  async *everything(): Opening {
    const { scope, names } = this.#wanted;
    const query = { clusterIds: scope.clusterIds, names, limit: openingLimit };
    let position: number | undefined;
    let cursor: string | undefined;
    do {
      const page = await this.#views.list({ ...query, cursor });
      const from = (position ??= Number(page.resourceVersion));
      const events = page.items
        .filter(({ revision }) => revision <= from)
        .flatMap((item) => eventText("ADDED", item, scope) ?? []);
      if (events.length > 0) {
        yield {
          bytes: Buffer.from(events.map((text) => serverSentEvent(text)).join("")),
          count: events.length,
        };
      }
      ({ cursor } = page);
    } while (cursor !== undefined);
    return position;
  }
}

/** Turns each change of a view into bytes once for all who may see the whole of its cluster. */
class ViewEncoder {
  readonly #encoded = new WeakMap<ViewLogItem, Buffer>();

  encode(item: ViewLogItem, scope: ViewScope): Buffer | undefined {
    const known = scope.isWhole(item) ? this.#encoded.get(item) : undefined;
    if (known !== undefined) return known;
    const text = eventText(item.content === undefined ? "DELETED" : "MODIFIED", item, scope);
    if (text === undefined) return undefined;
    const bytes = Buffer.from(serverSentEvent(text, item.revision));
    if (scope.isWhole(item)) this.#encoded.set(item, bytes);
    return bytes;
  }
}

function eventText(
  type: (typeof changeTypes)[number],
  item: ViewLogItem,
  scope: ViewScope,
): string | undefined {
  const object = scope.show(item);
  return object === undefined ? undefined : JSON.stringify({ type, object });
}
