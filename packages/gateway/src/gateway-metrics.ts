import type { Metrics } from "@bowline/core";
import type { TunnelConnection } from "@bowline/protocol";

import type { AgentListener } from "./listener/agent-listener.ts";
import type { Replicas } from "./replicas/replicas.ts";
import type { AgentRegistry } from "./session/agent-registry.ts";

interface Measured {
  readonly registry: AgentRegistry;
  readonly listener: Pick<AgentListener, "connections">;
  readonly replicas: Pick<Replicas, "connections" | "forwardedStreams"> | undefined;
}

/** Metrics of the gateway. */
export function measureGateway(metrics: Metrics, { registry, listener, replicas }: Measured): void {
  metrics.gauge({
    name: "bowline_agent_connections",
    help: "Connections of agents and of other replicas that are open.",
    collect: (gauge) => gauge.set(listener.connections),
  });
  metrics.gauge({
    name: "bowline_agent_sessions",
    help: "Sessions of agents that are open.",
    collect: (gauge) => gauge.set(registry.size),
  });
  metrics.gauge({
    name: "bowline_agent_tunnels",
    help: "Tunnels into clusters that are open.",
    collect: (gauge) => gauge.set(sumOfTunnels(registry, () => 1)),
  });
  metrics.gauge({
    name: "bowline_tunnel_held_bytes",
    help: "Bytes that came through tunnels and wait for clients that are slow to read them.",
    collect: (gauge) => gauge.set(sumOfTunnels(registry, (tunnel) => tunnel.heldBytes)),
  });
  metrics.gauge({
    name: "bowline_tunnel_streams",
    help: "Streams in tunnels that are under way.",
    collect: (gauge) => gauge.set(sumOfTunnels(registry, (tunnel) => tunnel.streams)),
  });
  metrics.gauge({
    name: "bowline_replica_connections",
    help: "Connections to other replicas, over which requests for their agents are relayed.",
    collect: (gauge) => gauge.set(replicas?.connections ?? 0),
  });
  metrics.gauge({
    name: "bowline_relayed_streams",
    help: "Requests under way that other replicas have relayed to this one.",
    collect: (gauge) => gauge.set(replicas?.forwardedStreams ?? 0),
  });
  const opened = metrics.counter({
    name: "bowline_agent_sessions_opened_total",
    help: "Sessions of agents that were opened.",
  });
  const ended = metrics.counter({
    name: "bowline_agent_sessions_ended_total",
    help: "Sessions of agents that have ended, by how.",
    labelNames: ["end"],
  });
  registry.subscribe({ opened: () => opened.inc(), closed: (_, end) => ended.inc({ end }) });
}

function sumOfTunnels(registry: AgentRegistry, figure: (tunnel: TunnelConnection) => number): number {
  let sum = 0;
  for (const { tunnels } of registry.sessions()) {
    for (const { connection } of tunnels) sum += figure(connection);
  }
  return sum;
}
