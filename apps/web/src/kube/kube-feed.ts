import { BowlineError, isRecord } from "@bowline/core";
import { arrayOf, numberOf, recordOf, textOf } from "@bowline/kube/shapes";

import type { StreamRequest } from "../live/streams.ts";
import type { FeedChange, FeedReader, WatchFeed } from "../live/watch-feed.ts";

type JsonObject = Readonly<Record<string, unknown>>;

export interface KubeFeedOptions<Item> {
  /** The address of a list through the proxy, with its selectors. */
  readonly path: string;
  readonly accept: string;
  /** The items of a list, or those that an event of a watch carries. */
  readonly itemsOf: (answer: JsonObject) => Iterable<readonly [key: string, item: Item]>;
}

/** The first page is soon there to look at; those that follow it cost a way to the cluster each. */
const firstPageItems = 500;
const laterPageItems = 5_000;
/** A watch is asked anew after a while: Kubernetes is quiet where nothing changes, and so is a cluster that is gone. */
const watchSeconds = 300;
const maxLineChars = 16 * 1024 * 1024;

/**
 * A list of a cluster, page by page, and then a watch from where it was. When the cluster has forgotten that point (410),
 * the list begins anew.
 */
export class KubeFeed<Item> implements WatchFeed<Item> {
  readonly #options: KubeFeedOptions<Item>;
  #continue: string | undefined;
  /** Where the watch goes on; undefined until the list is complete. */
  #lastSeen: string | undefined;
  #listed = 0;

  constructor(options: KubeFeedOptions<Item>) {
    this.#options = options;
  }

  get isAnew(): boolean {
    return this.#lastSeen === undefined && this.#continue === undefined;
  }

  restart(): void {
    this.#continue = undefined;
    this.#lastSeen = undefined;
  }

  next(): StreamRequest {
    const { path, accept } = this.#options;
    const parameters: Record<string, string> =
      this.#lastSeen === undefined
        ? this.#continue === undefined
          ? { limit: String(firstPageItems) }
          : { limit: String(laterPageItems), continue: this.#continue }
        : {
            watch: "1",
            allowWatchBookmarks: "true",
            timeoutSeconds: String(watchSeconds),
            resourceVersion: this.#lastSeen,
          };
    const query = new URLSearchParams(parameters).toString();
    return { get: `${path}${path.includes("?") ? "&" : "?"}${query}`, accept };
  }

  read(): FeedReader<Item> {
    return this.#lastSeen === undefined ? this.#readPage() : this.#readWatch();
  }

  #readPage(): FeedReader<Item> {
    const decoder = new TextDecoder();
    let text = "";
    return {
      isPage: true,
      start: () => [],
      take: (bytes) => {
        text += decoder.decode(bytes, { stream: true });
        return [];
      },
      end: () => this.#takePage(parsed(text)),
    };
  }

  *#takePage(list: JsonObject): Generator<FeedChange<Item>> {
    if (this.isAnew) this.#listed = 0;
    for (const [key, item] of this.#options.itemsOf(list)) {
      this.#listed += 1;
      yield { type: "set", key, item };
    }
    const metadata = recordOf(list["metadata"]) ?? {};
    this.#continue = textOf(metadata["continue"]);
    const remaining = numberOf(metadata["remainingItemCount"]);
    if (this.#continue !== undefined) {
      if (remaining !== undefined) yield { type: "total", total: this.#listed + remaining };
      return;
    }
    // Without one there is nothing to watch from: from whatever is newest, then.
    this.#lastSeen = textOf(metadata["resourceVersion"]) ?? "0";
    yield { type: "listed" };
  }

  #readWatch(): FeedReader<Item> {
    const decoder = new TextDecoder();
    let rest = "";
    return {
      isPage: false,
      start: () => [{ type: "listed" }],
      take: (bytes) => {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        if (rest.length > maxLineChars) throw new BowlineError("ResponseTooLarge", tooLong);
        return this.#takeLines(lines);
      },
      end: () => [],
    };
  }

  *#takeLines(lines: readonly string[]): Generator<FeedChange<Item>> {
    for (const line of lines) {
      if (line.trim() === "") continue;
      const { type, object } = parsed(line);
      if (!isRecord(object)) throw new BowlineError("ResponseInvalid", notAnEvent);
      if (type === "ERROR") throw errorOf(object);
      if (type === "ADDED" || type === "MODIFIED" || type === "DELETED") {
        for (const [key, item] of this.#options.itemsOf(object)) {
          yield type === "DELETED" ? { type: "delete", key } : { type: "set", key, item };
        }
      }
      this.#lastSeen = versionOf(object) ?? this.#lastSeen;
    }
  }
}

const tooLong = `The cluster sent a change of more than ${maxLineChars} characters.`;
const notAnEvent = "The cluster sent a change that is not what the Kubernetes API promises.";

/** A Table has the version of its row; where it does not say so, the row's object does. */
function versionOf(object: JsonObject): string | undefined {
  const own = textOf(recordOf(object["metadata"])?.["resourceVersion"]);
  const row = recordOf(recordOf(arrayOf(object["rows"])[0])?.["object"]);
  return own ?? textOf(recordOf(row?.["metadata"])?.["resourceVersion"]);
}

function errorOf(status: JsonObject): BowlineError {
  const isExpired = status["code"] === 410 || status["reason"] === "Expired";
  const message = textOf(status["message"]) ?? "The cluster ended the watch.";
  return new BowlineError(isExpired ? "Expired" : "ServerError", message);
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (cause) {
    throw new BowlineError("ResponseInvalid", notAnEvent, { cause });
  }
  throw new BowlineError("ResponseInvalid", notAnEvent);
}
