import type { EventPage, RecordPage } from "@bowline/store";

/** A page as the API answers it. */
export interface RecordListBody<Item> {
  readonly metadata: { readonly resourceVersion?: string; readonly cursor?: string; readonly total: number };
  readonly items: readonly Item[];
}

export function recordListBody<Item>(
  page: RecordPage<Item> & Partial<Pick<EventPage, "resourceVersion">>,
): RecordListBody<Item> {
  const { items, ...metadata } = page;
  return { metadata, items };
}
