import { Backoff, BowlineError, type Clock, type Random, type ResettingBackoffPolicy } from "@bowline/core";

import type { ClientLimits } from "../client-options.ts";
import type { ChangeEvent, WatchOptions } from "../client.ts";
import type { ApiRequest } from "../http/api-request.ts";
import { pause } from "../http/cancellation.ts";
import type { Connection } from "../http/connection.ts";
import { watchOnce } from "./watch-once.ts";

/** Proxies end connections every minute or so: what lived for a while does not pay for what failed before. */
const reconnecting: ResettingBackoffPolicy = {
  baseMs: 500,
  maxMs: 30_000,
  factor: 2,
  jitter: 0.5,
  resetAfterMs: 10_000,
};

export interface ResumingWatch {
  readonly connection: Connection;
  readonly request: ApiRequest;
  readonly options: WatchOptions;
  readonly limits: ClientLimits;
  readonly clock: Clock;
  readonly random: Random;
}

/** A watch that outlives its connections; `Client.watch` says how. */
export async function* watchResuming<Item>(
  watch: ResumingWatch,
): AsyncGenerator<ChangeEvent<Item>, void, undefined> {
  const { request, options, limits, clock } = watch;
  const backoff = new Backoff(reconnecting, clock, watch.random);
  let lastSeen: string | undefined;
  let wasOpen = false;
  for (;;) {
    const lost = yield* untilLost<Item>({
      ...watch,
      request: lastSeen === undefined ? request : resumed(request, lastSeen),
      silenceMs: limits.silenceMs,
      maxEventBytes: limits.maxEventBytes,
      onOpen: () => {
        wasOpen = true;
        options.onOpen?.();
      },
      onSeen: (id) => void (lastSeen = id),
    });
    // Who never reached the server wants to know why, not to wait for it.
    const mayRetry =
      lost.retryable && lost.code !== "Expired" && (wasOpen || backoff.attempt + 1 < limits.maxAttempts);
    if (!mayRetry || request.signal?.aborted === true) throw lost;
    const delayMs = backoff.nextDelayMs();
    if (wasOpen) options.onLost?.(lost, delayMs);
    await pause(clock, delayMs, request.signal);
  }
}

async function* untilLost<Item>(
  watch: Parameters<typeof watchOnce>[0],
): AsyncGenerator<ChangeEvent<Item>, BowlineError, undefined> {
  try {
    yield* watchOnce<Item>(watch);
    return new BowlineError("ConnectionFailed", `${watch.connection.server} ended the watch.`);
  } catch (thrown) {
    return BowlineError.from(thrown);
  }
}

/** The id is stronger than where the watch began. */
function resumed(request: ApiRequest, lastSeen: string): ApiRequest {
  return { ...request, headers: { ...request.headers, "last-event-id": lastSeen } };
}
