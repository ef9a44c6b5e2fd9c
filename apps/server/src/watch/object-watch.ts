import type { ServerResponse } from "node:http";

import type { FieldRequirement, Kind } from "@bowline/api";
import type { LabelRequirement } from "@bowline/core";
import type { Change, Store } from "@bowline/store";

import { ChangeEncoder, ObjectView } from "./object-view.ts";
import { objectOpening } from "./object-opening.ts";
import { LiveFeed } from "./live-feed.ts";
import { resumption } from "./watcher.ts";
import type { WatcherPool } from "./watcher-pool.ts";

/** Answers requests to watch objects of a kind. */
export interface WatchService {
  /**
   * Answers with a stream of server-sent events; resolves when the stream is over and the response closed. It rejects
   * only while nothing has been sent, so that the caller answers with the error as it does with any other: `Expired`,
   * `InvalidArgument` for a resourceVersion that cannot be one, `TooManyRequests` when there are too many watchers,
   * `ServerUnavailable` when the server is stopping. What goes wrong later is the last event of the stream.
   */
  serve(request: WatchRequest, response: ServerResponse): Promise<void>;
}

export interface WatchRequest {
  readonly kind: Kind;
  readonly labels: readonly LabelRequirement[];
  /** With those that the identity is limited to. */
  readonly fields: readonly FieldRequirement[];
  /** Send what changed after this resourceVersion; undefined for everything there is, and then what changes. */
  readonly since: string | undefined;
  /** Ends the watch. Its reason is told to the client when it is a `BowlineError`. */
  readonly signal: AbortSignal;
  readonly requestId: string;
}

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
