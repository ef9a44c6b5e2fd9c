import { randomBytes } from "node:crypto";

import { resources, type KubeClient } from "@bowline/kube";

import type { RunningTarget } from "./target.ts";

/** Where one test works: nobody else touches this namespace. */
export interface Sandbox {
  readonly client: KubeClient;
  readonly namespace: string;
}

/** For objects that have no namespace to keep tests apart. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString("hex")}`;
}

/** A new namespace. It is left behind: the server it is on lives no longer than the test file. */
export async function sandbox(cluster: RunningTarget): Promise<Sandbox> {
  const { admin: client } = cluster;
  const namespace = uniqueName("contract");
  await client.create(resources.namespaces, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  await cluster.namespaceIsReady(namespace);
  return { client, namespace };
}
