import type { Kubesim, NewObject } from "@bowline/kubesim";

type Api = Kubesim["api"];

export const hubNamespace = "hubs";

/**
 * A Secret that many pods use, each with a ConfigMap of its own and all of one image: two nodes and three edges for
 * each of them.
 */
export function addHub(api: Api, name: string, users: number): void {
  if (api.get("namespaces", undefined, hubNamespace) === undefined) {
    api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: hubNamespace } });
  }
  api.create("secrets", { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: hubNamespace } });
  for (let index = 0; index < users; index += 1) addUser(api, name, userName(name, index));
}

/** The name of a pod that uses a hub, and of the ConfigMap that it alone uses. */
export function userName(hub: string, index: number): string {
  return `user-${String(index).padStart(4, "0")}-of-${hub}`;
}

function addUser(api: Api, hub: string, name: string): void {
  const metadata: NewObject["metadata"] = { name, namespace: hubNamespace };
  api.create("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata, data: { region: "north" } });
  const from = [{ secretRef: { name: hub } }, { configMapRef: { name } }];
  const pod = api.create("pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { containers: [{ name: "app", image: "registry.example.com/till:1.4.2", envFrom: from }] },
  });
  const ready = { type: "Ready", status: "True" };
  api.updateStatus("pods", { ...pod, status: { phase: "Running", conditions: [ready] } });
}
