import { kinds, type Kind } from "@bowline/api";

/** Objects that others refer to before those others; what does not matter stays in the order given. */
export function inApplyOrder<Item extends { readonly kind: Kind }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => rankOf(a.kind) - rankOf(b.kind));
}

/** The other way round: what refers to others goes before them. */
export function inDeleteOrder<Item extends { readonly kind: Kind }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => rankOf(b.kind) - rankOf(a.kind));
}

/** How many references one can follow from an object of this kind; a kind that leads back to itself ends the way. */
function rankOf(kind: Kind, among: readonly Kind[] = kinds, seen: readonly Kind[] = []): number {
  if (seen.includes(kind)) return 0;
  const targets = among.filter((target) =>
    kind.references.some((reference) => reference.kind === target.kind),
  );
  return Math.max(0, ...targets.map((target) => 1 + rankOf(target, among, [...seen, kind])));
}
