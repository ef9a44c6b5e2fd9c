import type { ServerResponse } from "node:http";

import type { Change, Store } from "@bowline/store";
import { ChangeEncoder } from "./change-encoder.ts";
import { objectOpening } from "./object-opening.ts";
import { ObjectView } from "./object-view.ts";
import { LiveFeed } from "./stream/live-feed.ts";
import { resumption } from "./stream/resumption.ts";
import type { WatcherPool } from "./stream/watcher-pool.ts";
import type { WatchRequest, WatchService } from "./watch-service.ts";

/** Watches of objects, over the log of changes. */
export class ObjectWatch implements WatchService {
  readonly #store: Pick<Store, "objects" | "changes">;
  readonly #pool: WatcherPool;
  readonly #feed: LiveFeed<Change>;
  readonly #encoder = new ChangeEncoder();

  constructor(store: Pick<Store, "objects" | "changes">, pool: WatcherPool) {
    this.#store = store;
    this.#pool = pool;
    this.#feed = new LiveFeed({ log: store.changes, clock: pool.clock, ...pool.limits });
  }

  serve(request: WatchRequest, response: ServerResponse): Promise<void> {
    const { kind, since, signal, requestId } = request;
    const { objects, changes } = this.#store;
    const view = new ObjectView({ wanted: request, changes, encoder: this.#encoder });
    const opening =
      since === undefined ? objectOpening({ wanted: request, objects, view }) : resumption(view, since);
    return this.#pool.serve(
      { kind: kind.kind, feed: this.#feed, view, opening, signal, requestId },
      response,
    );
  }
}
