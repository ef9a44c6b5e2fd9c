import type { EngineContext } from "../cluster/engine-context.ts";
import type { RenderedObject } from "../render/render-workload.ts";

/**
 * Objects that could not be set right are not taken for applied any more, whatever the inventory said before: the next
 * run tries them again, and tells why they fail. Writes nothing where that is known already.
 */
export async function doubtObjects(
  { inventory, key, fence }: EngineContext,
  objects: readonly RenderedObject[],
  revision: string,
): Promise<void> {
  if (objects.length === 0) return;
  const intended = objects.map(({ group, kind, namespace, name, version, stage }) => ({
    group,
    kind,
    namespace,
    name,
    version,
    stage,
    // No content is known to be there, so this is like none that was.
    content: "",
  }));
  // Refused when another instance has adopted one of them meanwhile; then the next run tells.
  await inventory.intend(key, intended, { revision, fence });
}
