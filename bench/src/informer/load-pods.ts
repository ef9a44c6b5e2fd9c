import { resources, type KubeClient, type KubeObject } from "@bowline/kube";

import { benchPod, type BenchPod } from "../pods.ts";
import { nowMs, sentAtLabel } from "./measurement.ts";

const connections = 16;

export interface LoadProgress {
  readonly progress: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Creates pods `from` to `to` with their status. The API server takes a status only where the pod exists already. */
export async function loadPods(
  client: KubeClient,
  from: number,
  to: number,
  context: LoadProgress,
): Promise<void> {
  await createNamespaces(client, from, to);
  let next = from;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (next < to) {
      context.signal.throwIfAborted();
      const pod = benchPod(next++);
      const created = await client.create(resources.pods, withoutServerFields(pod));
      await client.update(resources.pods, { ...created, status: pod.status }, { subresource: "status" });
      if (++done % 2000 === 0) context.progress(`loaded ${done} of ${to - from} pods`);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
}

/** Changes a label of `count` pods at an even pace, each with the time it was sent. */
export async function updatePods(
  client: KubeClient,
  count: number,
  perSecond: number,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      signal.throwIfAborted();
      const index = next++;
      const dueInMs = startedAt + (index * 1000) / perSecond - performance.now();
      if (dueInMs > 0) await new Promise((resolve) => void setTimeout(resolve, dueInMs));
      const { namespace, name } = benchPod(index).metadata;
      const patch = { metadata: { labels: { [sentAtLabel]: nowMs().toFixed(3) } } };
      await client.patch(resources.pods, patch, { namespace, name, type: "merge" });
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
}

async function createNamespaces(client: KubeClient, from: number, to: number): Promise<void> {
  const existing = await client.listMetadata(resources.namespaces);
  const known = new Set(existing.items.map((item) => item.metadata.name));
  for (let index = from; index < to; index++) {
    const { namespace } = benchPod(index).metadata;
    if (known.has(namespace)) continue;
    known.add(namespace);
    await client.create(resources.namespaces, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
  }
}

/** The server makes its own; with these in it, it refuses the object. */
function withoutServerFields(pod: BenchPod): KubeObject {
  const { uid: _uid, resourceVersion: _version, managedFields: _managedFields, ...metadata } = pod.metadata;
  return { ...pod, metadata };
}
