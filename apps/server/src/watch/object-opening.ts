import { setImmediate as nextTurn } from "node:timers/promises";

import { pageLimits, type ApiObject } from "@bowline/api";
import type { Change, ObjectStore } from "@bowline/store";

import { changeJson, objectEventJson, eventTypeOf, type ChangeType, type Selection } from "./object-view.ts";
import { serverSentEvent } from "./server-sent-event.ts";
import type { WatchView, Opening, OpeningChunk } from "./watcher.ts";
import type { WatchRequest } from "./object-watch.ts";

export interface ObjectOpeningOptions {
  readonly wanted: Pick<WatchRequest, "kind" | "labels" | "fields">;
  readonly objects: Pick<ObjectStore, "listJson">;
  readonly view: Pick<WatchView<Change>, "read">;
}

const firstPageLimit = 100;
/** The size of a page, whatever the size of the objects. */
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

export interface ListedRangeOptions {
  readonly selection: Selection;
  /** Names up to here were on the pages before. */
  readonly after: string;
  /** The last name of the page; undefined when it was the last page. */
  readonly upTo: string | undefined;
  readonly items: readonly Pick<ApiObject["metadata"], "name" | "resourceVersion">[];
}

/**
 * Tells which changes a client has to be sent after a page of the objects there are, when it has been sent all changes
 * up to some number of everything on the pages before, and the page shows the objects as they were some time later.
 *
 * - A name of an earlier page: every change is news.
 * - A name of a later page: none is, that page will show it.
 * - A name of this page: those that are newer than what the page shows. What the page does not show was not there, so
 *   the first news of it can only be that it is new.
 */
export class ListedRange {
  readonly #options: ListedRangeOptions;
  readonly #known: Map<string, number>;

  constructor(options: ListedRangeOptions) {
    this.#options = options;
    this.#known = new Map(options.items.map(({ name, resourceVersion }) => [name, Number(resourceVersion)]));
  }

  newsOf(change: Change): ChangeType | undefined {
    const { selection, after, upTo } = this.#options;
    if (upTo !== undefined && change.name > upTo) return undefined;
    const type = eventTypeOf(selection, change);
    if (type === undefined || change.name <= after) return type;
    const shown = this.#known.get(change.name);
    if (shown === undefined ? type !== "ADDED" : change.revision <= shown) return undefined;
    if (type === "DELETED") this.#known.delete(change.name);
    else this.#known.set(change.name, change.revision);
    return type;
  }
}
