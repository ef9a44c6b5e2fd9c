import type { KubeClient } from "@bowline/kube";
import type { Adopted, MetricsAgentStatus } from "@bowline/monitoring";
import type { NamespacedName } from "@bowline/runtime";

import { getIfThere } from "../api/get-if-there.ts";
import type { MetricsAgent } from "../api/metrics-agent.ts";
import { metricsAgents, metricsInstances } from "../api/resources.ts";
import { writeStatus } from "../status/status-writer.ts";
import type { SelectedObject } from "../watch/cached-object.ts";
import type { AgentFamily, FoundAgent } from "./agent-family.ts";

/** Our own kinds. */
export class MetricsAgentFamily implements AgentFamily {
  readonly name = "metrics-agent";
  readonly agents = metricsAgents;
  readonly instances = metricsInstances;
  readonly isForeign = false;
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async find(ref: NamespacedName, signal: AbortSignal): Promise<FoundAgent | undefined> {
    const agent = await getIfThere<MetricsAgent>(this.#client, metricsAgents, { ...ref, signal });
    return agent === undefined ? undefined : { agent, withoutMeaning: [] };
  }

  adoptInstance(instance: SelectedObject): Adopted {
    return { object: instance, withoutMeaning: [] };
  }

  tell(agent: MetricsAgent, status: MetricsAgentStatus, signal: AbortSignal): Promise<void> {
    return writeStatus({ client: this.#client, resource: metricsAgents, object: agent, signal }, status);
  }
}
