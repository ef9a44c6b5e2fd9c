import { createHash } from "node:crypto";

import type { Cluster, SpecOf } from "@bowline/api";

type AgentSettings = NonNullable<SpecOf<typeof Cluster>["agent"]>;

/** The configuration of an agent as it goes over the wire. */
export interface AgentConfigMessage {
  readonly version: string;
  readonly logLevel: string;
  readonly observedKinds: { readonly group: string; readonly version: string; readonly resource: string }[];
  readonly observedNamespaces: string[];
  readonly limits: { readonly maxStreams: number; readonly maxRequestsPerSecond: number };
}

const defaults: AgentSettings = { logLevel: "info" };

/** The configuration that a Cluster's spec asks of its agent. Its version is a hash of the content: the same is never sent twice. */
export function agentConfigOf({
  agent = defaults,
}: Pick<SpecOf<typeof Cluster>, "agent">): AgentConfigMessage {
  const content = {
    logLevel: agent.logLevel,
    observedKinds: (agent.observedKinds ?? []).map(({ group = "", version, resource }) => ({
      group,
      version,
      resource,
    })),
    observedNamespaces: [...(agent.observedNamespaces ?? [])],
    limits: {
      maxStreams: agent.limits?.maxStreams ?? 0,
      maxRequestsPerSecond: agent.limits?.maxRequestsPerSecond ?? 0,
    },
  };
  const version = createHash("sha256").update(JSON.stringify(content)).digest("base64url").slice(0, 22);
  return { version, ...content };
}
