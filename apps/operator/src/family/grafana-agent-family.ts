import type { KubeClient, KubeObject } from "@bowline/kube";
import {
  adoptGrafanaAgent,
  adoptMetricsInstance,
  readAgentSpec,
  type Adopted,
  type MetricsAgentStatus,
} from "@bowline/monitoring";
import type { NamespacedName } from "@bowline/runtime";

import { getIfThere } from "../api/get-if-there.ts";
import type { MetricsAgent } from "../api/metrics-agent.ts";
import { grafanaAgents, grafanaInstances } from "../api/resources.ts";
import type { ObjectWriter } from "../reconcile/object-writer.ts";
import type { SelectedObject } from "../watch/cached-object.ts";
import type { AgentFamily, FoundAgent } from "./agent-family.ts";
import { invalidSpec } from "./invalid-spec.ts";
import { StatusReport } from "./status-report.ts";

interface GrafanaAgent extends KubeObject {
  metadata: MetricsAgent["metadata"];
}

/**
 * The kinds of the Grafana Agent Operator, read as they are. Their definitions have no status, and a server drops one
 * that is written: what is to be said about an agent is in a ConfigMap beside its other objects.
 */
export class GrafanaAgentFamily implements AgentFamily {
  readonly name = "grafana-agent";
  readonly agents = grafanaAgents;
  readonly instances = grafanaInstances;
  readonly isForeign = true;
  readonly #client: KubeClient;
  readonly #report: StatusReport;

  constructor(client: KubeClient, writer: ObjectWriter) {
    this.#client = client;
    this.#report = new StatusReport(client, writer);
  }

  async find(ref: NamespacedName, signal: AbortSignal): Promise<FoundAgent | undefined> {
    const found = await getIfThere<GrafanaAgent>(this.#client, grafanaAgents, { ...ref, signal });
    if (found === undefined) return undefined;
    const { apiVersion, kind, metadata } = found;
    const { object, withoutMeaning } = adoptGrafanaAgent({ ...found, metadata });
    const read = readAgentSpec(object.spec);
    const agent: MetricsAgent = { apiVersion, kind, metadata, spec: read.ok ? read.value : {} };
    const status = await this.#report.read(agent, signal);
    return {
      agent: { ...agent, ...(status === undefined ? {} : { status }) },
      withoutMeaning,
      ...(read.ok
        ? {}
        : { refused: invalidSpec("Read as a MetricsAgent, its spec cannot be used.", read.problems) }),
    };
  }

  adoptInstance(instance: SelectedObject): Adopted {
    return adoptMetricsInstance(instance);
  }

  tell(agent: MetricsAgent, status: MetricsAgentStatus, signal: AbortSignal): Promise<void> {
    return this.#report.write(agent, status, signal);
  }
}
