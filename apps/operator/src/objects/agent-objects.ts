import type { KubeObject } from "@bowline/kube";

import { portName } from "./collector-container.ts";
import type { Fitted } from "./fit-secrets.ts";
import { shardCount, type MetricsAgent } from "./kinds.ts";
import { objectNames, ownedMetadata, podLabels } from "./ownership.ts";
import { collectorPort } from "./pod-layout.ts";
import type { Secret } from "./secrets.ts";
import { statefulSet, type StatefulSet } from "./stateful-set.ts";

/** Everything an agent should have. */
export interface AgentObjects {
  readonly files: readonly Secret[];
  readonly config: readonly Secret[];
  readonly service: KubeObject;
  /** One for each shard. */
  readonly statefulSets: readonly StatefulSet[];
}

export function agentObjects(
  agent: MetricsAgent,
  secrets: Fitted["secrets"],
  imageRepository: string,
): AgentObjects {
  return {
    ...secrets,
    service: headlessService(agent),
    statefulSets: Array.from({ length: shardCount(agent) }, (_, shard) =>
      statefulSet(agent, shard, imageRepository),
    ),
  };
}

/** Gives the pods of all shards names, and a place where their own metrics can be found. */
function headlessService(agent: MetricsAgent): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: ownedMetadata(agent, objectNames.service(agent)),
    spec: {
      clusterIP: "None",
      selector: podLabels(agent),
      ports: [{ name: portName(agent), port: collectorPort, targetPort: portName(agent), protocol: "TCP" }],
    },
  };
}
