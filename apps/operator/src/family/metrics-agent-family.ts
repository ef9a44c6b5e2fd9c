import type { KubeClient } from "@bowline/kube";
import { readAgentSize, type Adopted, type MetricsAgentStatus } from "@bowline/monitoring";
import type { NamespacedName } from "@bowline/runtime";

import { getIfThere } from "../api/get-if-there.ts";
import type { MetricsAgent } from "../api/metrics-agent.ts";
import { metricsAgents, metricsInstances } from "../api/resources.ts";
import { StatusWriter } from "../status/status-writer.ts";
import type { SelectedObject } from "../watch/cached-object.ts";
import type { AgentFamily, FoundAgent } from "./agent-family.ts";
import { invalidSpec } from "./invalid-spec.ts";

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
    if (agent === undefined) {
      this.#statuses.forget(ref);
      return undefined;
    }
    const size = readAgentSize(agent.spec);
    if (size.ok) return { agent, withoutMeaning: [] };
    const refused = invalidSpec("Its spec cannot be used.", size.problems);
    return { agent: { ...agent, spec: {} }, withoutMeaning: [], refused };
  }

  adoptInstance(instance: SelectedObject): Adopted {
    return { object: instance, withoutMeaning: [] };
  }

  tell(agent: MetricsAgent, status: MetricsAgentStatus, signal: AbortSignal): Promise<void> {
    return this.#statuses.write({ object: agent, status, signal });
  }
}
