import { objectText, type IntendedObject, type InventoryItem, type OwnedItem } from "@bowline/store";

import type { EngineContext } from "./cluster/engine-context.ts";
import type { ObjectProblem } from "./object-result.ts";
import type { RefusedObject, RenderedObject } from "./render/render-workload.ts";
import { mayAdopt } from "./render/settings.ts";

export interface ClaimedObjects {
  readonly claimed: readonly { readonly rendered: RenderedObject; readonly item: InventoryItem }[];
  /** Those that other instances own. */
  readonly refused: readonly RefusedObject[];
}

/** Claims objects in the inventory, before any request for them goes out. What others own is left to them. */
export async function claimObjects(
  { inventory, key, fence }: EngineContext,
  objects: readonly RenderedObject[],
  revision: string,
): Promise<ClaimedObjects> {
  let wanted = objects;
  const refused: RefusedObject[] = [];
  while (wanted.length > 0) {
    const adopt = wanted.filter(({ object }) => mayAdopt(object));
    const result = await inventory.intend(key, wanted.map(intended), { revision, adopt, fence });
    if (result.outcome === "intended") {
      const items = new Map(result.items.map((item) => [objectText(item), item]));
      const claimed = wanted.flatMap((rendered) => {
        const item = items.get(objectText(rendered));
        return item === undefined ? [] : [{ rendered, item }];
      });
      return { claimed, refused };
    }
    // Another instance may claim one more in the meantime; each time there are fewer left.
    const owners = new Map(result.owned.map((item) => [objectText(item), item]));
    for (const rendered of wanted) {
      const owner = owners.get(objectText(rendered));
      if (owner === undefined) continue;
      const { group, kind, namespace, name, version } = rendered;
      refused.push({ group, kind, namespace, name, version, problem: ownedByOther(owner) });
    }
    wanted = wanted.filter((rendered) => !owners.has(objectText(rendered)));
  }
  return { claimed: [], refused };
}

function intended(rendered: RenderedObject): IntendedObject {
  const { group, kind, namespace, name, version, stage, content, hook } = rendered;
  return { group, kind, namespace, name, version, stage, content, hook };
}

export function ownedByOther({ instanceName, adopts = false }: OwnedItem): ObjectProblem {
  const annotation = 'the annotation bowline.dev/adopt: "true"';
  const how = adopts
    ? `and says itself that it adopts it; take ${annotation}, or the object, out of the manifests of that one`
    : `so take it out of one of the two, or move it here with ${annotation}`;
  const message = `The instance ${instanceName} has this object in this cluster, ${how}.`;
  return { reason: "OwnedByOther", message };
}
