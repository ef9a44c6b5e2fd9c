import type { KubeObject } from "@bowline/kube";

import type { MetricsAgent } from "../api/metrics-agent.ts";
import { objectNames } from "./agent-names.ts";
import { portName } from "./collector-container.ts";
import { collectorPort } from "./collector-port.ts";
import { ownedMetadata, podLabels } from "./ownership.ts";

/** Gives the pods of all shards names, and a place where their own metrics can be found. */
export function headlessService(agent: MetricsAgent): KubeObject {
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
