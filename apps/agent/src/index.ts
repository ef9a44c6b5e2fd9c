export { ownClusterConnection } from "@bowline/kube";

export { identitiesFolder, loadAgentConfig, type AgentConfig } from "./config/agent-config.ts";
export { ServerDialer } from "./dial/server-dialer.ts";
export { CurrentIdentity } from "./identity/current-identity.ts";
export { establishIdentity } from "./identity/establish-identity.ts";
export type { IdentityRecord, IdentityStore } from "./identity/identity-record.ts";
export { joinedIn } from "./identity/identity-store-for.ts";
export { timestamp, type QueuedItem } from "./report/report-item.ts";
export { ReportQueue } from "./report/report-queue.ts";
export { newReportCounts, ReportSender } from "./report/report-sender.ts";
export { openLinks } from "./run/open-links.ts";
export { startAgent, type RunningAgent } from "./run/start-agent.ts";
export type { ServerLinks } from "./session/server-links.ts";
