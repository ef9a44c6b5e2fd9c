export { offlineError, type ClusterTunnels } from "./tunnels/cluster-tunnels.ts";
export type { AgentSession, TunnelRoute } from "./session/agent-session.ts";
export { joinSecretHash, newJoinSecret } from "./identity/join-service.ts";
export { SharedPort, type AgentSockets } from "./listener/shared-port.ts";
export { openGateway, type Gateway, type GatewayOptions } from "./open-gateway.ts";
export { agentStatement, clusterConditions, type ConditionStatement } from "./presence/cluster-conditions.ts";
export { endSentence } from "./presence/presence.ts";
export {
  parseAnnouncement,
  type Announcement,
  type Announcements,
  type AnnouncementsListener,
  type OpenAnnouncements,
} from "./replicas/announcement.ts";
export type { ReportSink } from "./reports/workload-intake.ts";
export { replicaServerName } from "./replicas/peer-links.ts";
export { replicaSecret } from "./replicas/replica-tokens.ts";
export type { ReplicaTrust } from "./replicas/replicas.ts";
/**
 * Lets `KubeClient` ask a cluster through its agent.
 *
 * @public For controllers that write into clusters, of which that of workloads is to be the first.
 */
export { ClusterTransport, type ClusterTransportOptions } from "./tunnels/cluster-transport.ts";
