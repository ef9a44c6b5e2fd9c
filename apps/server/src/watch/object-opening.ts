import { setImmediate as nextTurn } from "node:timers/promises";

import { pageLimits, type ApiObject } from "@bowline/api";

import type { Change, ObjectStore } from "@bowline/store";
import { changeJson, objectEventJson } from "./change-encoder.ts";
import { ListedRange } from "./listed-range.ts";
import { serverSentEvent } from "./stream/server-sent-event.ts";
import type { WatchView } from "./stream/watch-view.ts";
import type { Opening, OpeningChunk } from "./stream/watcher.ts";
import type { WatchRequest } from "./watch-service.ts";

export interface ObjectOpeningOptions {
  readonly wanted: Pick<WatchRequest, "kind" | "labels" | "fields">;
  readonly objects: Pick<ObjectStore, "listJson">;
  readonly view: Pick<WatchView<Change>, "read">;
}

const firstPageLimit = 100;
/** What a page should take, whatever the size of the objects. */
const pageBytes = 128 * 1024;
const changesLimit = 200;

/**
 * Everything there is, page by page. Each page is newer than the one before, so after each the changes are sent that
 * happened meanwhile to what has been sent. At the end the client has everything as it is at one moment, was told
 * nothing twice, and no more than one page was ever in memory.
 */
export async function* objectOpening(options: ObjectOpeningOptions): Opening {
  const { objects, wanted } = options;
  const { kind, labels, fields } = wanted;
  const selection = { labels, fields };
  let page = await objects.listJson(kind, { ...selection, limit: firstPageLimit });
  let position = Number(page.resourceVersion);
  let chunk = addedChunk(page.items);
  if (chunk.count > 0) yield chunk;
  while (page.cursor !== undefined) {
    const after = lastName(page.items);
    page = await objects.listJson(kind, { ...selection, cursor: page.cursor, limit: nextLimit(chunk) });
    chunk = addedChunk(page.items);
    yield chunk;
    const upTo = page.cursor === undefined ? undefined : lastName(page.items);
    const range = new ListedRange({ selection, after, upTo, items: page.items.map(metadataOf) });
    position = yield* newsSince(position, range, options.view);
  }
  return position;
}

async function* newsSince(position: number, range: ListedRange, view: ObjectOpeningOptions["view"]): Opening {
  let reached = position;
  for (;;) {
    const page = await view.read(reached, changesLimit);
    const news = page.items.flatMap((change) => {
      const type = range.newsOf(change);
      return type === undefined ? [] : [changeJson(change, type)];
    });
    if (news.length > 0) yield openingChunk(news);
    reached = page.position;
    if (page.items.length < changesLimit) return reached;
    await nextTurn();
  }
}

function addedChunk(items: readonly string[]): OpeningChunk {
  return openingChunk(items.map((json) => objectEventJson("ADDED", json)));
}

/** Without ids: a client that is cut off before the end has to begin again. */
function openingChunk(events: readonly string[]): OpeningChunk {
  const bytes = Buffer.from(events.map((json) => serverSentEvent(json)).join(""));
  return { bytes, count: events.length };
}

function lastName(items: readonly string[]): string {
  const last = items.at(-1);
  return last === undefined ? "" : metadataOf(last).name;
}

function metadataOf(json: string): ApiObject["metadata"] {
  const { metadata }: ApiObject = JSON.parse(json);
  return metadata;
}

function nextLimit({ bytes, count }: OpeningChunk): number {
  const average = bytes.length / Math.max(count, 1);
  return Math.max(1, Math.min(pageLimits.maximum, Math.floor(pageBytes / Math.max(average, 1))));
}
