import type { Metrics } from "@bowline/core";

import type { AgentListener } from "./listener/agent-listener.ts";
import type { AgentRegistry } from "./session/agent-registry.ts";

interface Measured {
  readonly registry: AgentRegistry;
  readonly listener: Pick<AgentListener, "connections">;
}

/** What the gateway tells about itself. */
export function measureGateway(metrics: Metrics, { registry, listener }: Measured): void {
  metrics.gauge({
    name: "bowline_agent_connections",
    help: "Connections of agents that are open.",
    collect: (gauge) => gauge.set(listener.connections),
  });
  metrics.gauge({
    name: "bowline_agent_sessions",
    help: "Sessions of agents that are open.",
    collect: (gauge) => gauge.set(registry.size),
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
  registry.listen({ opened: () => opened.inc(), closed: (_, end) => ended.inc({ end }) });
}
