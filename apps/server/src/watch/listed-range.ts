import type { ApiObject } from "@bowline/api";

import type { Change } from "@bowline/store";
import { eventTypeOf, type ChangeType, type Selection } from "./event-type.ts";

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
