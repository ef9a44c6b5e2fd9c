export { TestAgent, type TestSession } from "./test-agent.ts";
export { agentSide } from "./agent-side.ts";
