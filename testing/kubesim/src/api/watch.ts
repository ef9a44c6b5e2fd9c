import type { Random } from "@bowline/core";

import type { SimStatusError } from "../store/sim-status-error.ts";
import { expired, resourceVersionTooLarge } from "../store/status-errors.ts";
import { negotiateShape } from "./accept.ts";
import { namespaceOf, type ApiRequest } from "./api-request.ts";
import { parseListOptions, type ListOptions, type Selection } from "./list-options.ts";
import { representationOf } from "./representation.ts";
import { WatchEncoder } from "./watch-encoder.ts";
import { AnswerSink, SocketSink, type WatchSink } from "./watch-sink.ts";
import { WatchStream, type WatchStart } from "./watch-stream.ts";

const shortestDefaultTimeoutSeconds = 1800;

/** One encoder per store lets all watchers share what they send. */
const encoders = new WeakMap<object, WatchEncoder>();

/** Opens a watch; the connection then lives on its own. */
export function handleWatch(call: ApiRequest): void {
  const { store, settings, request, clock, watches } = call;
  const options = parseListOptions(call.query, true, {
    type: call.type,
    place: call.place,
    minorVersion: store.minorVersion,
  });
  const shape = negotiateShape(request.headers.accept?.replaceAll(";stream=watch", ""), false);
  const start = startOf(call, options);
  const sink = sinkOf(call);
  if (sink === undefined) return;
  const stream = new WatchStream({
    sink,
    clock,
    registry: watches,
    encoder: encoderOf(store),
    traits: {
      verb: "watch",
      resource: call.type.key,
      ...(call.target.namespace === undefined ? {} : { namespace: call.target.namespace }),
      userAgent: request.headers["user-agent"] ?? "",
      path: request.url ?? "",
    },
    form: representationOf({
      type: call.type,
      place: call.place,
      shape,
      includeObject: call.query.get("includeObject"),
      nowMs: () => clock.now(),
      minorVersion: store.minorVersion,
    }),
    selection: inNamespace(options.selection, namespaceOf(call), call.target.name),
    queueLimit: settings.watchQueueLimit,
    timeoutMs: timeoutSeconds(options, settings.random) * 1000,
    ...(options.allowWatchBookmarks ? { bookmarkIntervalMs: settings.bookmarkIntervalMs } : {}),
    deliveredRevision: () => store.objects.deliveredRevision,
  });
  if ("failure" in start) {
    stream.start({ initial: [], missed: [], subscribe: () => () => undefined });
    stream.fail(start.failure);
  } else {
    stream.start(start);
  }
}

/** Undefined where the client asked for a WebSocket and cannot have it; then it has been told. */
function sinkOf({ request, response, upgrade }: ApiRequest): WatchSink | undefined {
  if (upgrade === undefined) return new AnswerSink(response);
  const changed = upgrade.acceptAny();
  return changed && new SocketSink(changed, request.socket);
}

/** Watches that name no limit end at some point between half an hour and an hour, not all at once. */
function timeoutSeconds({ timeoutSeconds: asked }: ListOptions, random: Random): number {
  return asked !== undefined && asked > 0 ? asked : shortestDefaultTimeoutSeconds * (1 + random());
}

function encoderOf(store: object): WatchEncoder {
  const known = encoders.get(store);
  if (known) return known;
  const encoder = new WatchEncoder();
  encoders.set(store, encoder);
  return encoder;
}

/** Where the stream begins: with the whole state, or with what happened since the state the client has. */
function startOf(call: ApiRequest, options: ListOptions): WatchStart | { readonly failure: SimStatusError } {
  const { objects } = call.store;
  const table = objects.table(call.type.key);
  const asked = options.resourceVersion === "" ? 0 : Number(options.resourceVersion);
  const subscribe: WatchStart["subscribe"] = (listener) => objects.subscribe(call.type.key, listener);
  if (options.sendInitialEvents !== undefined && asked > objects.revision) {
    throw resourceVersionTooLarge(asked, objects.revision);
  }
  if (options.sendInitialEvents === true) {
    return {
      initial: table.list(namespaceOf(call)),
      missed: [],
      subscribe,
      ...(options.allowWatchBookmarks ? { endMark: { revision: objects.revision } } : {}),
    };
  }
  if (asked === 0) {
    const initial = options.sendInitialEvents === undefined ? table.list(namespaceOf(call)) : [];
    return { initial, missed: [], subscribe };
  }
  if (asked < table.compactedRevision) {
    return { failure: expired(`too old resource version: ${asked} (${table.compactedRevision})`) };
  }
  return { initial: [], missed: table.eventsSince(asked), subscribe: afterRevision(subscribe, asked) };
}

/** A client that is ahead of the server sees nothing until the server has caught up. */
function afterRevision(subscribe: WatchStart["subscribe"], revision: number): WatchStart["subscribe"] {
  return (listener) =>
    subscribe((event) => {
      if (event.revision > revision) listener(event);
    });
}

function inNamespace(
  selection: Selection,
  namespace: string | undefined,
  name: string | undefined,
): Selection {
  if (namespace === undefined && name === undefined) return selection;
  return {
    empty: false,
    matches: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (name === undefined || object.metadata.name === name) &&
      selection.matches(object),
  };
}
