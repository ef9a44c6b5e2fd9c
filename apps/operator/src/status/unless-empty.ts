/** Without the lists that have nothing in them: servers keep an empty list or not, depending on its kind. */
export function unlessEmpty<T extends Readonly<Record<string, readonly unknown[]>>>(lists: T): Partial<T> {
  const filled: Partial<T> = { ...lists };
  for (const name in lists) if (lists[name]?.length === 0) delete filled[name];
  return filled;
}
