import type { Counter, Metrics } from "@bowline/core";

import type { AgentListener } from "./listener/agent-listener.ts";
import type { AgentRegistry, RegistryListener } from "./session/agent-registry.ts";
import type { AgentSession } from "./session/agent-session.ts";
import type { SessionEnd } from "./session/session-end.ts";

interface Measured {
  readonly registry: AgentRegistry;
  readonly listener: Pick<AgentListener, "connections">;
}

/** What the gateway tells about itself. */
export class GatewayMetrics implements RegistryListener {
  readonly #opened: Counter;
  readonly #ended: Counter<"end">;

  constructor(metrics: Metrics, { registry, listener }: Measured) {
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
    this.#opened = metrics.counter({
      name: "bowline_agent_sessions_opened_total",
      help: "Sessions of agents that were opened.",
    });
    this.#ended = metrics.counter({
      name: "bowline_agent_sessions_ended_total",
      help: "Sessions of agents that have ended, by how.",
      labelNames: ["end"],
    });
  }

  opened(): void {
    this.#opened.inc();
  }

  closed(_: AgentSession, end: SessionEnd): void {
    this.#ended.inc({ end });
  }
}
