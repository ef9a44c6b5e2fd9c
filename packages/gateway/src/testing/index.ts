export { TestAgent, type TestSession } from "./test-agent.ts";
export { agentSide } from "./agent-side.ts";
export { gone, observed, observedEvent, TestReport } from "./test-report.ts";
