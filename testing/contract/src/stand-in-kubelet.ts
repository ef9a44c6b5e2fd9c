import { resources } from "@bowline/kube";

import type { Pod } from "./objects.ts";
import { RawWatch } from "./raw-watch.ts";
import type { Sandbox } from "./sandbox.ts";
import type { RunningTarget } from "./target.ts";

const { pods } = resources;

/**
 * Says of every pod in a namespace what a kubelet would: that it runs and is ready, or, for pods that are not started
 * again, that they succeeded. Where the cluster has kubelets it keeps out of their way.
 */
export async function standInKubelet(cluster: RunningTarget, space: Sandbox): Promise<Disposable> {
  if (cluster.hasKubelets) return { [Symbol.dispose]: () => undefined };
  const watch = await RawWatch.open(space.client, pods, { namespace: space.namespace });
  void reportAll(watch, space);
  return watch;
}

async function reportAll(watch: RawWatch, space: Sandbox): Promise<void> {
  try {
    for (let event = await watch.next(); event !== undefined; event = await watch.next()) {
      if (event.type === "ADDED") await report(event.object as Pod, space);
    }
  } catch {
    // The watch was closed by the test's end, or a pod went while it was reported on; the test sees what it misses.
  }
}

async function report({ metadata, spec }: Pod, { client, namespace }: Sandbox): Promise<void> {
  const now = new Date().toISOString();
  const runsForEver = spec["restartPolicy"] === "Always";
  const ready = { type: "Ready", status: runsForEver ? "True" : "False", lastTransitionTime: now };
  const status = { phase: runsForEver ? "Running" : "Succeeded", startTime: now, conditions: [ready] };
  const target = { namespace, name: metadata.name ?? "", type: "strategic", subresource: "status" } as const;
  await client.patch(pods, { status }, target);
}
