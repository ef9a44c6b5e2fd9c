import type { KubeClient } from "@bowline/kube";
import type { Adopted, MetricsAgentStatus } from "@bowline/monitoring";
import type { NamespacedName } from "@bowline/runtime";

import { getIfThere } from "../api/get-if-there.ts";
import type { MetricsAgent } from "../api/metrics-agent.ts";
import { metricsAgents, metricsInstances } from "../api/resources.ts";
import { StatusWriter } from "../status/status-writer.ts";
import type { SelectedObject } from "../watch/cached-object.ts";
import type { AgentFamily, FoundAgent } from "./agent-family.ts";

/** Our own kinds. */
export class MetricsAgentFamily implements AgentFamily {
  readonly name = "metrics-agent";
  readonly agents = metricsAgents;
  readonly instances = metricsInstances;
  readonly isForeign = false;
  readonly #client: KubeClient;
  readonly #statuses: StatusWriter;

  constructor(client: KubeClient) {
    this.#client = client;
    this.#statuses = new StatusWriter(client, metricsAgents);
  }

  async find(ref: NamespacedName, signal: AbortSignal): Promise<FoundAgent | undefined> {
    const agent = await getIfThere<MetricsAgent>(this.#client, metricsAgents, { ...ref, signal });
    if (agent !== undefined) return { agent, withoutMeaning: [] };
    this.#statuses.forget(ref);
    return undefined;
  }

  adoptInstance(instance: SelectedObject): Adopted {
    return { object: instance, withoutMeaning: [] };
  }

  tell(agent: MetricsAgent, status: MetricsAgentStatus, signal: AbortSignal): Promise<void> {
    return this.#statuses.write({ object: agent, status, signal });
  }
}
