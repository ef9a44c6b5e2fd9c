import type { ResourceRef } from "@bowline/kube";
import type { Adopted, FieldWithoutMeaning, MetricsAgentStatus } from "@bowline/monitoring";
import type { NamespacedName, TerminalError } from "@bowline/runtime";

import type { MetricsAgent } from "../api/metrics-agent.ts";
import type { SelectedObject } from "../watch/cached-object.ts";

/** An agent as it is in the cluster. */
export interface FoundAgent {
  /** Its kind and metadata are its own, its spec and status those of a MetricsAgent. */
  readonly agent: MetricsAgent;
  readonly withoutMeaning: readonly FieldWithoutMeaning[];
  /** Why its spec cannot be used; then it is not in the agent. */
  readonly refused?: TerminalError;
}

/** A kind of agents with the kind of instances that they run. Neither sees those of another family. */
export interface AgentFamily {
  /** Of its controller. */
  readonly name: string;
  readonly agents: ResourceRef;
  readonly instances: ResourceRef;
  /** Whether its objects are read as if they were ours, and may have fields that mean nothing here. */
  readonly isForeign: boolean;
  find(ref: NamespacedName, signal: AbortSignal): Promise<FoundAgent | undefined>;
  /** An instance as the renderer knows it. */
  adoptInstance(instance: SelectedObject): Adopted;
  /** Writes the status where people look for it, unless it says that already. */
  tell(agent: MetricsAgent, status: MetricsAgentStatus, signal: AbortSignal): Promise<void>;
}
