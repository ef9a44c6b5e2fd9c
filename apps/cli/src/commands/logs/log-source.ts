import type { Client } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import { findPods, type PodContainer, type WorkloadPod } from "../../workloads/find-pods.ts";
import type { InstanceCluster } from "../../workloads/instance-clusters.ts";
import { readLogLines, type LogLine } from "./log-lines.ts";

/** The log of one container, from its start to its end: one that is started again has another. */
export interface LogSource {
  /** `prod-eu-1/web-7d4b9/app` */
  readonly label: string;
  /** The same for the same run of the same container. */
  readonly key: string;
  readonly cluster: string;
  readonly pod: WorkloadPod;
  readonly container: PodContainer;
}

export interface SourceOptions {
  /** Only containers of this name, also those that only prepare a pod. */
  readonly container?: string | undefined;
  readonly previous: boolean;
}

/** All containers of the workload in a cluster, whether they have a log or not. */
export async function findSources(
  client: Client,
  { name: cluster, resources }: InstanceCluster,
  { container: wanted, previous, signal }: SourceOptions & { readonly signal: AbortSignal },
): Promise<LogSource[]> {
  const pods = await findPods(client.inCluster(cluster), resources, signal);
  return pods.flatMap((pod) =>
    pod.containers
      .filter(({ name, isInit }) => (wanted === undefined ? !isInit : name === wanted))
      .filter(({ restarts }) => !previous || restarts > 0)
      .map((container) => ({
        label: `${cluster}/${pod.name}/${container.name}`,
        key: JSON.stringify([cluster, pod.uid, container.name, container.id ?? ""]),
        cluster,
        pod,
        container,
      })),
  );
}

export interface LogQuery {
  readonly sinceSeconds?: number | undefined;
  readonly sinceTime?: string | undefined;
  readonly tailLines?: number | undefined;
  readonly previous?: boolean;
  readonly follow?: boolean;
}

/** The lines of a log, until its end or until nobody wants more. */
export async function* openLog(
  client: Client,
  { cluster, pod, container }: LogSource,
  { signal, ...query }: LogQuery & { readonly signal: AbortSignal },
): AsyncGenerator<LogLine, void, undefined> {
  const parameters = new URLSearchParams({ container: container.name, timestamps: "true" });
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== false) parameters.set(name, String(value));
  }
  const path = `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}/log?${parameters.toString()}`;
  const body = await client.inCluster(cluster).stream(path, { signal });
  try {
    yield* readLogLines(body);
  } catch (thrown) {
    signal.throwIfAborted();
    throw new BowlineError("TunnelLost", "The connection was lost before the log was read to its end.", {
      cause: thrown,
    });
  } finally {
    body.destroy();
  }
}
