import { BowlineError } from "@bowline/core";
import type { KubeClient, KubeObject, ResourceRef } from "@bowline/kube";
import type { NamespacedName } from "@bowline/runtime";

/** The object, or undefined when there is none. */
export async function getIfThere<T extends KubeObject>(
  client: KubeClient,
  resource: ResourceRef,
  ref: NamespacedName & { readonly signal: AbortSignal },
): Promise<T | undefined> {
  try {
    return await client.get<T>(resource, ref);
  } catch (error) {
    if (BowlineError.from(error).code === "NotFound") return undefined;
    throw error;
  }
}
