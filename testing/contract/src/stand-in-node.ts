import { resources, type KubeClient } from "@bowline/kube";

import { uniqueName } from "./sandbox.ts";

/** A node without a machine. Its taint keeps everybody away who does not know it. */
export interface StandInNode extends AsyncDisposable {
  readonly name: string;
  /** For pods that are meant for it: chooses the node and tolerates its taint. */
  readonly podSpec: Readonly<Record<string, unknown>>;
}

const label = "contract.example.com/node";

/** It counts as ready for as long as a silent node does, which is longer than a test takes. */
export async function standInNode(client: KubeClient): Promise<StandInNode> {
  const name = uniqueName("contract");
  const now = new Date().toISOString();
  await client.create(resources.nodes, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { [label]: name } },
    spec: { taints: [{ key: label, value: name, effect: "NoSchedule" }] },
    status: {
      capacity: { cpu: "4", memory: "8Gi", pods: "100" },
      conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: now, lastTransitionTime: now }],
    },
  });
  return {
    name,
    podSpec: { nodeSelector: { [label]: name }, tolerations: [{ key: label, operator: "Exists" }] },
    [Symbol.asyncDispose]: async () => {
      await client.delete(resources.nodes, { name });
    },
  };
}

/** Makes the node one that its own pods do not fit on any more. */
export async function disguise(client: KubeClient, { name }: StandInNode): Promise<void> {
  await client.patch(resources.nodes, { metadata: { labels: { [label]: null } } }, { name, type: "merge" });
}
