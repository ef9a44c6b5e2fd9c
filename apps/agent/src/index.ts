export type { AgentConfig } from "./config/agent-config.ts";
export { loadAgentConfig, type ConfigSources } from "./config/load-agent-config.ts";
export type { RunningAgent } from "./run/running-agent.ts";
export { startAgent, type StartAgentOptions } from "./run/start-agent.ts";
