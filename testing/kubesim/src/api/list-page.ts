import { orderKey, type ResourceTable } from "../store/resource-table.ts";
import type { SimObject } from "../store/sim-api.ts";
import { SimStatusError } from "../store/sim-status-error.ts";
import { badRequest, expired, resourceVersionTooLarge } from "../store/status-errors.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";
import type { ListOptions } from "./list-options.ts";
import type { ListMeta } from "./representation.ts";

export interface ListPage {
  readonly items: readonly SimObject[];
  readonly metadata: ListMeta;
}

export interface ListSource {
  readonly table: ResourceTable;
  readonly namespace: string | undefined;
  readonly currentRevision: number;
}

/** One page of a list, from the snapshot that the resourceVersion or the continue token names. */
export function listPage(source: ListSource, options: ListOptions): ListPage {
  const start = snapshotOf(source, options);
  const all =
    start.revision === undefined
      ? source.table.list(source.namespace)
      : source.table.listAt(start.revision, source.namespace);
  const revision = start.revision ?? source.currentRevision;
  const from = start.after === undefined ? 0 : firstAfter(all, start.after);
  return cutPage(all, from, { revision, options });
}

function cutPage(
  all: readonly SimObject[],
  from: number,
  { revision, options }: { revision: number; options: ListOptions },
): ListPage {
  const { selection } = options;
  // Any version will do: the real server answers from memory then, and memory knows no pages.
  const limit = options.resourceVersion === "0" && options.continueToken === "" ? 0 : options.limit;
  const resourceVersion = String(revision);
  if (limit <= 0) {
    const rest = from === 0 ? all : all.slice(from);
    return {
      items: selection.empty ? rest : rest.filter((each) => selection.matches(each)),
      metadata: { resourceVersion },
    };
  }
  const items: SimObject[] = [];
  let next = from;
  for (; next < all.length && items.length < limit; next += 1) {
    const object = all[next];
    if (object && selection.matches(object)) items.push(object);
  }
  const last = all[next - 1];
  if (next >= all.length || !last) return { items, metadata: { resourceVersion } };
  return {
    items,
    metadata: {
      resourceVersion,
      continue: encodeContinue({ revision, after: orderKey(last) }),
      // With a selector nobody knows how many of the rest will match.
      ...(selection.empty ? { remainingItemCount: all.length - next } : {}),
    },
  };
}

/** Which past state to read, or the present one, and after which object to begin. */
function snapshotOf(source: ListSource, options: ListOptions): { revision?: number; after?: string } {
  const { table, currentRevision } = source;
  const asked = options.resourceVersion === "" ? undefined : Number(options.resourceVersion);
  if (options.continueToken !== "") {
    if (asked) throw badRequest("specifying resource version is not allowed when using continue");
    const { revision, after } = decodeContinue(options.continueToken);
    if (revision < 0) return { after };
    if (revision < table.compactedRevision) throw expiredContinue(after);
    return { revision, after };
  }
  if (asked === undefined || asked === 0) return {};
  if (asked > currentRevision) throw resourceVersionTooLarge(asked, currentRevision);
  const exact =
    options.resourceVersionMatch === "Exact" || (options.resourceVersionMatch === "" && options.limit > 0);
  if (!exact) return {};
  if (asked < table.compactedRevision) throw expired("The resourceVersion for the provided list is too old.");
  return { revision: asked };
}

/** The snapshot is gone, but the client may go on over what is there now. */
function expiredContinue(after: string): SimStatusError {
  return new SimStatusError({
    code: 410,
    reason: "Expired",
    message:
      "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    continueToken: encodeContinue({ revision: -1, after }),
  });
}

function firstAfter(all: readonly SimObject[], key: string): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const object = all[middle];
    if (object && orderKey(object) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
