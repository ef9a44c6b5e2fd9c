import {
  createValidator,
  customResourceDefinition,
  object,
  type CustomResourceDefinition,
  type Validated,
} from "@bowline/api";

import {
  metricsAgentResource,
  type MetricsAgentSpec,
  type MetricsAgentStatus,
} from "./metrics-agent-resource.ts";
import { metricsInstanceResource } from "./metrics-instance-resource.ts";

/** The definitions of our custom resources, as a cluster takes them. */
export function monitoringDefinitions(): CustomResourceDefinition[] {
  return [metricsAgentResource, metricsInstanceResource].map(customResourceDefinition);
}

const validateSpec = createValidator(metricsAgentResource.spec);
const { replicas, shards } = metricsAgentResource.spec.properties;
const validateSize = createValidator(object("How many collectors.", { replicas, shards }));
const validateStatus = createValidator(metricsAgentResource.status);

/** Does for a spec that never was in a MetricsAgent what the API server does for those that are: checks, defaults. */
export function readAgentSpec(spec: unknown): Validated<MetricsAgentSpec> {
  return validateSpec(spec);
}

/**
 * Checks what decides how many objects are made. A definition that was changed, or is not ours, may let anything through.
 * All else in a spec hurts nobody but its agent, and may be newer than this program.
 */
export function readAgentSize(spec: unknown): Validated<Pick<MetricsAgentSpec, "replicas" | "shards">> {
  if (typeof spec !== "object" || spec === null) return validateSize(spec);
  const given = Object.entries(spec).filter(([name]) => name === "replicas" || name === "shards");
  return validateSize(Object.fromEntries(given));
}

/** A status from where anybody may have written; undefined if it is none. */
export function readAgentStatus(status: unknown): MetricsAgentStatus | undefined {
  const read = validateStatus(status);
  return read.ok ? read.value : undefined;
}
