import {
  Backoff,
  BowlineError,
  LinkedAbortController,
  withDeadline,
  type Clock,
  type Random,
  type ResettingBackoffPolicy,
} from "@bowline/core";

import type { ClientLimits } from "../client-options.ts";
import type { ChangeEvent, WatchOptions } from "../client.ts";
import type { ApiRequest } from "../http/connection.ts";
import { pause } from "../http/cancellation.ts";
import type { Connection, OpenStream } from "../http/connection.ts";
import { readEvent } from "./read-event.ts";
import { SseDecoder } from "./sse-decoder.ts";

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
    // A caller that never reached the server wants to know why, not to wait for it.
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

interface ConnectedWatch {
  readonly connection: Connection;
  readonly request: ApiRequest;
  readonly clock: Clock;
  readonly silenceMs: number;
  readonly maxEventBytes: number;
  readonly onOpen: () => void;
  /** Told what to go on from, once the event it came with has been taken. */
  readonly onSeen: (id: string) => void;
}

/**
 * One connection of a watch, from its start to its end. It returns when the server ends it, and throws everything else.
 * The socket is read no faster than events are taken, and leaving the loop closes it.
 */
async function* watchOnce<Item>(watch: ConnectedWatch): AsyncGenerator<ChangeEvent<Item>, void, undefined> {
  using stop = new LinkedAbortController(watch.request.signal);
  const { connection, clock, silenceMs: limitMs } = watch;
  const onTimeout = (): BowlineError => silent(connection.server, limitMs);
  // A socket whose other side is gone stays open for ever: only a clock can tell it from a quiet one.
  const withinLimit = <T>(work: () => Promise<T>): Promise<T> =>
    withDeadline(work, { clock, limitMs, signal: stop.signal, onTimeout });
  const decoder = new SseDecoder(watch.maxEventBytes);
  try {
    const stream = await withinLimit(() => connection.open({ ...watch.request, signal: stop.signal }));
    requireEvents(stream, connection.server);
    watch.onOpen();
    const chunks: AsyncIterator<Buffer> = stream.body[Symbol.asyncIterator]();
    for (;;) {
      const chunk = await withinLimit(() => chunks.next());
      if (chunk.done === true) return;
      for (const { id, data } of decoder.decode(chunk.value)) {
        const event = readEvent<Item>(data);
        if (event !== undefined) yield event;
        if (id !== undefined) watch.onSeen(id);
      }
    }
  } catch (thrown) {
    throw connection.explain(thrown, stop.signal);
  } finally {
    stop.abort(new BowlineError("Cancelled", "The watch has ended."));
  }
}

function requireEvents({ headers }: OpenStream, server: string): void {
  const type = headers["content-type"] ?? "";
  if (/^text\/event-stream\b/i.test(type)) return;
  throw new BowlineError(
    "NotBowline",
    `${server} answered a watch with ${type === "" ? "no content type" : type.slice(0, 64)} instead of events; check the address, and proxies on the way.`,
  );
}

function silent(server: string, limitMs: number): BowlineError {
  return new BowlineError("Timeout", `${server} was silent for ${limitMs / 1000} s during a watch.`);
}
