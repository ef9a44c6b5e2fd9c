import { customResourceDefinition, type CustomResourceDefinition } from "@bowline/api";

import { metricsAgentResource } from "./metrics-agent-resource.ts";
import { metricsInstanceResource } from "./metrics-instance-resource.ts";

/** The definitions of our custom resources, as a cluster takes them. */
export function monitoringDefinitions(): CustomResourceDefinition[] {
  return [metricsAgentResource, metricsInstanceResource].map(customResourceDefinition);
}
