import type { KubeClient, KubeObject, ResourceRef } from "@bowline/kube";

import { RawWatch } from "./raw-watch.ts";

export interface AwaitedObject {
  readonly client: KubeClient;
  readonly resource: ResourceRef;
  readonly namespace?: string;
  readonly name: string;
}

/** Follows one object until it is as wanted; `undefined` stands for an object that does not exist. */
async function until<T extends KubeObject = KubeObject>(
  { client, resource, namespace, name }: AwaitedObject,
  isAsWanted: (object: T | undefined) => boolean,
): Promise<T | undefined> {
  const scope = namespace === undefined ? {} : { namespace };
  const list = await client.list<T>(resource, { ...scope, fieldSelector: `metadata.name=${name}` });
  let current: T | undefined = list.items[0];
  const { resourceVersion = "" } = list.metadata;
  using watch = await RawWatch.open(client, resource, { ...scope, name, query: { resourceVersion } });
  while (!isAsWanted(current)) {
    const event = await watch.next().catch((cause: unknown) => ({ type: "ERROR", cause }) as const);
    if (event === undefined || event.type === "ERROR") {
      const found = JSON.stringify(current);
      throw new Error(`${resource.kind} ${name} did not become as wanted; it is ${found}.`, { cause: event });
    }
    current = event.type === "DELETED" ? undefined : (event.object as T);
  }
  return current;
}

/** The same for an object that must exist in the end. */
export async function untilIs<T extends KubeObject = KubeObject>(
  awaited: AwaitedObject,
  isAsWanted: (object: T) => boolean,
): Promise<T> {
  const object = await until<T>(awaited, (found) => found !== undefined && isAsWanted(found));
  if (object === undefined) throw new Error(`${awaited.resource.kind} ${awaited.name} does not exist.`);
  return object;
}

export async function untilGone(awaited: AwaitedObject): Promise<void> {
  await until(awaited, (object) => object === undefined);
}
