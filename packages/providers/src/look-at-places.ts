import type { OrphanSearch } from "./provider.ts";

/** What is found in all places. One that cannot be looked at, as when a key has ended, hides nothing in the others. */
export async function lookAtPlaces<Place, Found>(
  places: ReadonlyMap<string, Place>,
  look: (place: Place) => Promise<readonly Found[]>,
  { onMissed, signal }: Pick<OrphanSearch, "onMissed" | "signal">,
): Promise<Found[]> {
  const found: Found[] = [];
  for (const [name, place] of places) {
    try {
      found.push(...(await look(place)));
    } catch (error) {
      signal.throwIfAborted();
      onMissed(name, error);
    }
  }
  return found;
}
