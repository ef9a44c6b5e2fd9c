import { BowlineError, systemClock, type Clock, type Random } from "@bowline/core";
import { accept } from "../client/client-options.ts";
import { openStream } from "../client/kube-requester.ts";
import { describeTarget, resourcePath } from "../client/resource-path.ts";
import type { FailedRequest } from "../client/status-error.ts";
import { defaultFields, type FieldMask } from "../decode/field-mask.ts";
import { LineSplitter } from "../decode/line-splitter.ts";
import { ObjectDecoder } from "../decode/object-decoder.ts";
import type { ResourceRef } from "../object.ts";
import type { Transport } from "../transport.ts";
import { decodeEvent, type WatchEvent } from "./event-decoder.ts";
import { StreamGuard } from "./stream-guard.ts";

export interface WatchOptions {
  /** Left out: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Changes after this version; left out, the server first sends everything that exists as ADDED. */
  readonly resourceVersion?: string | undefined;
  /** Default true: without bookmarks a quiet watch cannot be resumed after a while. */
  readonly allowWatchBookmarks?: boolean;
  /**
   * Everything that exists first, consistently, and a bookmark at its end. Not all servers can: those that know of it
   * refuse with 400 or 422, very old ones ignore it and never send that bookmark.
   */
  readonly sendInitialEvents?: boolean;
  /** When the server is to end the watch. Default: random, short where the transport cannot tell a dead peer. */
  readonly timeoutSeconds?: number;
  /** Ends the watch with `Timeout` when nothing comes for so long. Default: none, as silence is normal. */
  readonly silenceMs?: number;
  /** Names, labels and owners only, cut down by the server. */
  readonly metadataOnly?: boolean;
  /** The fields to decode. Default: all but managedFields and the last-applied annotation. */
  readonly fields?: FieldMask;
  /** A longer event fails the watch with `ResponseTooLarge`. Default 16 MiB, ten times what etcd takes. */
  readonly maxLineBytes?: number;
  /** The server has accepted the watch. */
  readonly onOpen?: () => void;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** A watch may still be on its way for so long after its end before it counts as dead. */
const graceMs = 10_000;

const defaultMaxLineBytes = 16 * 1024 * 1024;

/**
 * One watch, from its start to its end. It returns when the server ends it, as servers do after `timeoutSeconds`, and
 * throws a `BowlineError` for everything else: `Expired` when the version is too old, `ConnectionFailed` when it was
 * cut, `Timeout` when it went silent, `Cancelled` when the signal aborted. To go on, watch again from the last
 * version seen; an informer does that.
 *
 * The socket is read no faster than events are taken, and leaving the loop closes it.
 */
export async function* watch(
  transport: Transport,
  resource: ResourceRef,
  options: WatchOptions = {},
): AsyncGenerator<WatchEvent, void, undefined> {
  const { clock = systemClock, random = Math.random, silenceMs, signal } = options;
  const timeoutSeconds = options.timeoutSeconds ?? usualTimeoutSeconds(transport, random);
  const subject = describeTarget(resource, { namespace: options.namespace });
  const request: FailedRequest = { action: `watch ${subject}`, target: transport.target };
  const guard = new StreamGuard({
    clock,
    subject: `the ${request.action}`,
    hardStopMs: timeoutSeconds * 1000 + graceMs,
    signal,
    ...(silenceMs === undefined ? {} : { silenceMs }),
  });
  const decoder = new ObjectDecoder(resource, options.fields ?? defaultFields);
  const lines = new LineSplitter({ subject, maxLineBytes: options.maxLineBytes ?? defaultMaxLineBytes });
  try {
    const response = await openStream(transport, {
      action: request.action,
      path: watchPath(resource, options, timeoutSeconds),
      headers: { accept: options.metadataOnly === true ? accept.metadata : accept.json },
      signal: guard.signal,
    });
    options.onOpen?.();
    yield* readEvents(guard.read(response.body), lines, decoder, request);
  } catch (thrown) {
    throw guard.failure(thrown);
  } finally {
    guard.close();
  }
}

/**
 * A watch ends now and then on purpose, at random moments so that many watches do not return together. On a transport
 * that cannot tell a dead peer from a quiet one, that end is the only sign of life that is due at a known time, so it
 * is asked for every 30 to 45 s: with the grace a frozen socket is noticed within 55 s. The server sends a bookmark
 * just before it ends a watch, so such short ones also keep the resourceVersion fresh.
 */
function usualTimeoutSeconds({ detectsDeadPeer }: Transport, random: Random): number {
  const [min, max] = detectsDeadPeer ? [300, 600] : [30, 45];
  return min + Math.floor(random() * (max - min + 1));
}

async function* readEvents(
  chunks: AsyncIterable<Buffer>,
  lines: LineSplitter,
  decoder: ObjectDecoder,
  request: FailedRequest,
): AsyncGenerator<WatchEvent, void, undefined> {
  for await (const chunk of chunks) {
    for (const line of lines.split(chunk)) {
      const event = line.length === 0 ? undefined : decodeEvent(line, decoder, request);
      if (event !== undefined) yield event;
    }
  }
  if (lines.midLine) {
    throw new BowlineError("ConnectionFailed", `The ${request.action} was cut in the middle of an event.`);
  }
}

function watchPath(resource: ResourceRef, options: WatchOptions, timeoutSeconds: number): string {
  const { namespace, labelSelector, fieldSelector, resourceVersion } = options;
  return resourcePath(
    resource,
    { namespace },
    {
      watch: true,
      labelSelector,
      fieldSelector,
      resourceVersion,
      timeoutSeconds,
      allowWatchBookmarks: options.allowWatchBookmarks === false ? undefined : true,
      ...(options.sendInitialEvents === true
        ? { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" }
        : {}),
    },
  );
}
