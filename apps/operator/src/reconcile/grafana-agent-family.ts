import { resources, type KubeClient, type KubeObject } from "@bowline/kube";
import {
  adoptGrafanaAgent,
  adoptMetricsInstance,
  readAgentSpec,
  readAgentStatus,
  type Adopted,
  type MetricsAgentStatus,
} from "@bowline/monitoring";
import type { NamespacedName } from "@bowline/runtime";

import { grafanaAgents, grafanaInstances, type MetricsAgent } from "../objects/kinds.ts";
import { isControlledBy, objectNames, ownedMetadata } from "../objects/ownership.ts";
import type { SelectedObject } from "../watch/cached-object.ts";
import { getIfThere, type ObjectWriter } from "../write/object-writer.ts";
import { invalidSpec, type AgentFamily, type FoundAgent } from "./agent-family.ts";

interface GrafanaAgent extends KubeObject {
  metadata: MetricsAgent["metadata"];
}

/**
 * The kinds of the Grafana Agent Operator, read as they are. Their definitions have no status, and a server drops one
 * that is written: the status of an agent is in a ConfigMap beside its other objects.
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
    const { object, unusedFields } = adoptGrafanaAgent({ ...found, metadata });
    const read = readAgentSpec(object.spec);
    const agent: MetricsAgent = { apiVersion, kind, metadata, spec: read.ok ? read.value : {} };
    const status = await this.#report.read(agent, signal);
    return {
      agent: { ...agent, ...(status === undefined ? {} : { status }) },
      unusedFields,
      ...(read.ok
        ? {}
        : { refused: invalidSpec("Read as a MetricsAgent, its spec cannot be used.", read.problems) }),
    };
  }

  adoptInstance(instance: SelectedObject): Adopted {
    return adoptMetricsInstance(instance);
  }

  writeStatus(agent: MetricsAgent, status: MetricsAgentStatus, signal: AbortSignal): Promise<void> {
    return this.#report.write(agent, status, signal);
  }
}

interface ConfigMap extends KubeObject {
  data?: Readonly<Record<string, string>>;
}

const key = "status.json";

/** The status of an agent whose kind has none, in a ConfigMap of the agent. */
class StatusReport {
  readonly #client: KubeClient;
  readonly #writer: ObjectWriter;

  constructor(client: KubeClient, writer: ObjectWriter) {
    this.#client = client;
    this.#writer = writer;
  }

  /** The last status that was written; undefined for one that is not ours, or was made unreadable. */
  async read(agent: MetricsAgent, signal: AbortSignal): Promise<MetricsAgentStatus | undefined> {
    const { namespace } = agent.metadata;
    const ref = { namespace, name: objectNames.report(agent), signal };
    const found = await getIfThere<ConfigMap>(this.#client, resources.configMaps, ref);
    if (found === undefined || !isControlledBy(agent, found)) return undefined;
    return readAgentStatus(parsed(found.data?.[key] ?? ""));
  }

  async write(agent: MetricsAgent, status: MetricsAgentStatus, signal: AbortSignal): Promise<void> {
    // In the order of the schema, as one that was read has it: the same is to be the same text.
    const ordered = readAgentStatus(status) ?? status;
    const wanted: ConfigMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: ownedMetadata(agent, objectNames.report(agent)),
      data: { [key]: `${JSON.stringify(ordered, undefined, 2)}\n` },
    };
    const request = { agent, resource: resources.configMaps, wanted, signal };
    await this.#writer.write(request, await this.#writer.find(request));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
