import { hasCode } from "@bowline/core";
import type { KubeObject, ResourceRef } from "@bowline/kube";

import type { EngineContext } from "./engine-context.ts";

/** An object to ask the cluster about. */
export interface LiveTarget {
  readonly kindInCluster: ResourceRef;
  readonly namespace: string;
  readonly name: string;
}

/** Undefined when there is none. */
export async function findLive(context: EngineContext, target: LiveTarget): Promise<KubeObject | undefined> {
  const { client, signal } = context;
  return orNone(client.get(target.kindInCluster, { ...placeOf(target), signal }));
}

/** Name, labels, owners and the like; values of Secrets stay where they are. */
export async function findLiveMetadata(
  context: EngineContext,
  target: LiveTarget,
): Promise<KubeObject | undefined> {
  const { client, signal } = context;
  return orNone(client.getMetadata(target.kindInCluster, { ...placeOf(target), signal }));
}

export function placeOf({ kindInCluster, namespace, name }: LiveTarget): {
  readonly name: string;
  readonly namespace?: string;
} {
  return kindInCluster.namespaced ? { namespace, name } : { name };
}

async function orNone(asked: Promise<KubeObject>): Promise<KubeObject | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (hasCode(error, "NotFound")) return undefined;
    throw error;
  }
}
