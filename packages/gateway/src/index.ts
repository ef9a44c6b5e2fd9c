export type { ClusterTunnels } from "./tunnels/cluster-tunnels.ts";
export type { TunnelRoute } from "./session/agent-session.ts";
export { joinSecretHash, newJoinSecret } from "./identity/join-secret.ts";
export { SharedPort, type AgentSockets } from "./listener/shared-port.ts";
export { openGateway, type Gateway, type GatewayOptions } from "./open-gateway.ts";
export { agentStatement, clusterConditions, type ConditionStatement } from "./presence/cluster-conditions.ts";
export {
  parseAnnouncement,
  type Announcement,
  type Announcements,
  type AnnouncementsListener,
  type OpenAnnouncements,
} from "./replicas/announcement.ts";
export { replicaServerName } from "./replicas/dial-replica.ts";
export { replicaSecret } from "./replicas/replica-secret.ts";
export type { ReplicaTrust } from "./replicas/replicas.ts";
