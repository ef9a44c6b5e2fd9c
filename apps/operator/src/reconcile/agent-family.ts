import type { KubeClient } from "@bowline/kube";
import { readAgentSize, type Adopted, type MetricsAgentStatus, type UnusedField } from "@bowline/monitoring";
import { TerminalError, type NamespacedName } from "@bowline/runtime";

import { metricsAgents, metricsInstances, type MetricsAgent } from "../objects/kinds.ts";
import type { SelectedObject } from "../watch/cached-object.ts";
import type { FamilyKinds } from "../watch/cluster-cache.ts";
import { getIfThere } from "../write/object-writer.ts";
import { StatusWriter } from "../write/status-writer.ts";

/** An agent as it is in the cluster. */
export interface FoundAgent {
  /** Its kind and metadata are its own, its spec and status those of a MetricsAgent. */
  readonly agent: MetricsAgent;
  readonly unusedFields: readonly UnusedField[];
  /** Why its spec cannot be used; then it is not in the agent. */
  readonly refused?: TerminalError;
}

/** A kind of agents with the kind of instances that they run. Neither sees those of another family. */
export interface AgentFamily extends FamilyKinds {
  /** Of its controller. */
  readonly name: string;
  /** Whether its objects are read as if they were ours, and may have fields that mean nothing here. */
  readonly isForeign: boolean;
  find(ref: NamespacedName, signal: AbortSignal): Promise<FoundAgent | undefined>;
  /** An instance as the renderer knows it. */
  adoptInstance(instance: SelectedObject): Adopted;
  /** Writes the status where people look for it, unless it says that already. */
  writeStatus(agent: MetricsAgent, status: MetricsAgentStatus, signal: AbortSignal): Promise<void>;
}

const namedAtMost = 3;

/** Nothing but another spec can help. */
export function invalidSpec(
  sentence: string,
  problems: readonly { readonly path: string; readonly message: string }[],
): TerminalError {
  const named = problems.slice(0, namedAtMost).map(({ path, message }) => `${path}: ${message}`);
  return new TerminalError("InvalidSpec", `${sentence} ${named.join(" ")}`);
}

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
    if (size.ok) return { agent, unusedFields: [] };
    const refused = invalidSpec("Its spec cannot be used.", size.problems);
    return { agent: { ...agent, spec: {} }, unusedFields: [], refused };
  }

  adoptInstance(instance: SelectedObject): Adopted {
    return { object: instance, unusedFields: [] };
  }

  writeStatus(agent: MetricsAgent, status: MetricsAgentStatus, signal: AbortSignal): Promise<void> {
    return this.#statuses.write({ object: agent, status, signal });
  }
}
