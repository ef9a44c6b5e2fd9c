/** The part of an entry that a listener is in: one of its Gateways, or a ListenerSet of the first of them. */
export interface ListenerPlace {
  readonly kind: "Gateway" | "ListenerSet";
  /** Counted from 0 within its kind. */
  readonly index: number;
}

/** As many as the Gateway API takes in one object. */
const maxListeners = 64;

/**
 * Finds a place for the listener of each host. A host that has a place keeps it, because another Gateway has another
 * address; others get the first that is free. What has no room in the first Gateway goes to ListenerSets where the cluster
 * has them, which keep its address, and else to further Gateways.
 */
export function placeListeners(
  hosts: readonly string[],
  { known, hasSets }: { readonly known: ReadonlyMap<string, ListenerPlace>; readonly hasSets: boolean },
): ReadonlyMap<string, ListenerPlace> {
  const used = new Map<string, number>();
  const placed = new Map<string, ListenerPlace>();
  const put = (host: string, place: ListenerPlace): void => {
    placed.set(host, place);
    used.set(keyOf(place), (used.get(keyOf(place)) ?? 0) + 1);
  };
  for (const host of hosts) {
    const place = known.get(host);
    const isServed = place !== undefined && (place.kind === "Gateway" || hasSets);
    if (isServed && (used.get(keyOf(place)) ?? 0) < roomIn(place)) put(host, place);
  }
  for (const host of hosts) {
    if (placed.has(host)) continue;
    let place: ListenerPlace = { kind: "Gateway", index: 0 };
    while ((used.get(keyOf(place)) ?? 0) >= roomIn(place)) place = nextPlace(place, hasSets);
    put(host, place);
  }
  return placed;
}

function nextPlace({ kind, index }: ListenerPlace, hasSets: boolean): ListenerPlace {
  if (hasSets && kind === "Gateway") return { kind: "ListenerSet", index: 0 };
  return { kind, index: index + 1 };
}

/** One listener of each Gateway is that of plain HTTP. */
function roomIn({ kind }: ListenerPlace): number {
  return kind === "Gateway" ? maxListeners - 1 : maxListeners;
}

function keyOf({ kind, index }: ListenerPlace): string {
  return `${kind}/${index}`;
}
