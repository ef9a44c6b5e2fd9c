import { resources, type KubeClient, type KubeObject } from "@bowline/kube";
import { readAgentStatus, type MetricsAgentStatus } from "@bowline/monitoring";

import { getIfThere } from "../api/get-if-there.ts";
import type { MetricsAgent } from "../api/metrics-agent.ts";
import { objectNames } from "../objects/agent-names.ts";
import { isControlledBy, ownedMetadata } from "../objects/ownership.ts";
import type { ObjectWriter } from "../reconcile/object-writer.ts";

interface ConfigMap extends KubeObject {
  data?: Readonly<Record<string, string>>;
}

const key = "status.json";

/** The status of an agent whose kind has none, in a ConfigMap of the agent. */
export class StatusReport {
  readonly #client: KubeClient;
  readonly #writer: ObjectWriter;

  constructor(client: KubeClient, writer: ObjectWriter) {
    this.#client = client;
    this.#writer = writer;
  }

  /** What was said last; undefined for what is not ours, or was made unreadable. */
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
