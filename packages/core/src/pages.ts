/** A part of a list; missing its cursor, it is the last one. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor?: string | undefined;
}

/** Everything that a list holds, on however many pages: for lists that are known to fit into memory. */
export async function allPages<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    for (const item of page.items) all.push(item);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return all;
}
