export type { ClusterTunnels, TunnelRoute } from "./cluster-tunnels.ts";
export { joinSecretHash, newJoinSecret } from "./join/join-secret.ts";
export { SharedPort, type AgentSockets } from "./listener/shared-port.ts";
export { openGateway, type Gateway, type GatewayOptions } from "./open-gateway.ts";
export { agentStatement, clusterConditions, type ConditionStatement } from "./presence/cluster-conditions.ts";
export {
  parseAnnouncement,
  type Announcement,
  type Announcements,
  type AnnouncementsListener,
  type OpenAnnouncements,
} from "./replicas/announce/announcement.ts";
export { replicaServerName } from "./replicas/relay/dial-replica.ts";
export { replicaSecret } from "./replicas/replica-secret.ts";
export type { ReplicaTrust } from "./replicas/replicas.ts";
