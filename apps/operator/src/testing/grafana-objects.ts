import type { KubeObject } from "@bowline/kube";

import { grafanaAgents, grafanaInstances } from "../objects/kinds.ts";
import { apiVersionOf } from "./definitions.ts";

/** `default/main`, which takes all instances of its namespace. */
export function grafanaAgent(
  spec: Record<string, unknown> = {},
  metrics: Record<string, unknown> = {},
): KubeObject {
  return {
    apiVersion: apiVersionOf(grafanaAgents),
    kind: "GrafanaAgent",
    metadata: { namespace: "default", name: "main" },
    spec: { metrics: { instanceSelector: {}, ...metrics }, ...spec },
  };
}

/** `default/team`, which takes all ServiceMonitors of its namespace. */
export function grafanaInstance(spec: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: apiVersionOf(grafanaInstances),
    kind: "MetricsInstance",
    metadata: { namespace: "default", name: "team" },
    spec: { serviceMonitorSelector: {}, ...spec },
  };
}
