import { Cluster, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import type { Store } from "@bowline/store";
import { cluster, instance, placement } from "@bowline/store/testing";

const clusters = ["place-1", "place-2", "place-3"];
const pauseMs = 20;

/** Fewer would show nothing; a busy machine takes longer for them. */
const atLeast = 11;

/** Makes instances and places each on some clusters until the signal aborts; resolves to how many instances there are. */
export async function placeBusily({ objects }: Store, signal: AbortSignal): Promise<number> {
  for (const name of clusters) await objects.write(Cluster, name, () => cluster(name));
  let count = 0;
  for (; !signal.aborted || count < atLeast; count += 1) {
    const name = `p-${count}`;
    await objects.create(WorkloadInstance, instance(name, "web", clusters));
    for (const place of clusters) {
      // Long enough for its controller to have done what it knew of: nothing else brings the next one up again.
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await objects.create(WorkloadPlacement, placement(name, place));
    }
  }
  return count;
}

/** Instances that do not say that they have all their placements. */
export async function miscounted({ objects }: Store): Promise<string[]> {
  const found: string[] = [];
  for (const name of await objects.listNames(WorkloadInstance)) {
    const made = await objects.get(WorkloadInstance, name);
    if (made?.status.clusterCount !== clusters.length) found.push(`${name}: ${made?.status.clusterCount}`);
  }
  return found;
}
