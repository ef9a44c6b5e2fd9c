import { BowlineError, LinkedAbortController, withDeadline, type Clock } from "@bowline/core";

import type { ChangeEvent } from "../client.ts";
import type { ApiRequest } from "../http/api-request.ts";
import type { Connection, OpenStream } from "../http/connection.ts";
import { readEvent } from "./read-event.ts";
import { SseDecoder } from "./sse-decoder.ts";

export interface ConnectedWatch {
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
export async function* watchOnce<Item>(
  watch: ConnectedWatch,
): AsyncGenerator<ChangeEvent<Item>, void, undefined> {
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
