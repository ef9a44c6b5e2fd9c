import type { ServerResponse } from "node:http";

import type { FieldRequirement, Kind } from "@bowline/api";
import type { LabelRequirement } from "@bowline/core";

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
