import { createValidator, type Validated } from "@bowline/api";

import {
  metricsAgentResource,
  type MetricsAgentSpec,
  type MetricsAgentStatus,
} from "./metrics-agent-resource.ts";

const validateSpec = createValidator(metricsAgentResource.spec);
const validateStatus = createValidator(metricsAgentResource.status);

/** Does for a spec that never was in a MetricsAgent what the API server does for those that are: checks, defaults. */
export function readAgentSpec(spec: unknown): Validated<MetricsAgentSpec> {
  return validateSpec(spec);
}

/** A status from where anybody may have written; undefined if it is none. */
export function readAgentStatus(status: unknown): MetricsAgentStatus | undefined {
  const read = validateStatus(status);
  return read.ok ? read.value : undefined;
}
