import { Cluster } from "@bowline/api";

import type { Store } from "@bowline/store";
import { cluster } from "@bowline/store/testing";

const writers = 4;
/** Then it goes on to the next name: what is lost of the last write is not made up for by another one. */
const writesPerName = 4;

/** Of each writer, so that there are more than a hundred names; a busy machine takes longer for them. */
const atLeast = 104;

/** Creates and updates clusters as fast as it can until the signal aborts; resolves to how many writes there were. */
export async function writeBusily(store: Store, signal: AbortSignal): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      let count = 0;
      for (; !signal.aborted || count < atLeast; count += 1) {
        const name = `c-${writer}-${Math.floor(count / writesPerName)}`;
        await store.objects.write(Cluster, name, () => cluster(name, { region: `eu-${count}` }));
        // Everybody else needs a turn too: SQLite answers without ever waiting.
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return count;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The generations of all clusters, by key, and of those the controllers have not dealt with. */
export async function generations(
  store: Store,
): Promise<{ readonly all: Map<string, number>; readonly unobserved: readonly string[] }> {
  const items: Cluster[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.objects.list(Cluster, { limit: 500, cursor });
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return {
    all: new Map(items.map(({ metadata }) => [`Cluster/${metadata.name}`, metadata.generation])),
    unobserved: items
      .filter(({ metadata, status }) => status.observedGeneration !== metadata.generation)
      .map(({ metadata }) => metadata.name),
  };
}
