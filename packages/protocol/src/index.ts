export {
  duplexChannel,
  gatheredWrites,
  type ByteChannel,
  type ChannelReceiver,
} from "./tunnel/byte-channel.ts";
export type { AnswerHead, HeaderList, RequestHead } from "./tunnel/http-head.ts";
export {
  resetReasonOf,
  type ResetReason,
  type StreamHandler,
  type TunnelStream,
} from "./tunnel/tunnel-stream.ts";
export {
  defaultTunnelLimits,
  type AcceptStream,
  type OpenOptions,
  type TunnelConnectionOptions,
  type TunnelLimits,
} from "./tunnel/tunnel-options.ts";
export { TunnelConnection } from "./tunnel/tunnel-connection.ts";
export { TunnelMemory } from "./tunnel/tunnel-memory.ts";

export {
  openHttp2Session,
  tunnelHttp2Options,
  widenSessionWindow,
  type Http2SessionOptions,
} from "./transport/http2-session.ts";
export {
  joinCall,
  reportCall,
  sessionCall,
  type CallDirection,
  type CallKind,
} from "./transport/call-kind.ts";
export { grpcError, grpcTrailers } from "./transport/grpc-status.ts";
export {
  answerMessages,
  callMessages,
  type CallMessagesOptions,
  type MessageCall,
} from "./transport/message-call.ts";
export {
  answerTunnel,
  callTunnel,
  refuseTunnel,
  relayPath,
  tunnelPath,
  type CallTunnelOptions,
} from "./transport/tunnel-call.ts";

export {
  acceptSocketTunnel,
  dialSocketTunnel,
  refuseSocketTunnel,
  tunnelProtocol,
} from "./transport/socket-tunnel.ts";

export {
  answerOrder,
  joinAgentOrder,
  joinServerOrder,
  reportAgentOrder,
  reportServerOrder,
  requestOrder,
  sessionAgentOrder,
  sessionServerOrder,
} from "./order-tables.ts";
export type { MessageOrder, OrderTracker } from "./message-order.ts";

export {
  agentTokenAudience,
  agentTokenLifetimeSeconds,
  joinStatement,
  sessionHeader,
  signAgentToken,
  type AgentTokenOptions,
} from "./agent-proof.ts";
export { decodeJoinToken, encodeJoinToken, type JoinToken } from "./join-token.ts";

export {
  JoinRequestSchema,
  JoinResponseSchema,
  JoinService,
  type JoinAccepted,
  type JoinHello,
  type JoinRequest,
  type JoinResponse,
} from "./gen/bowline/agent/v1/join_pb.ts";
export {
  OpenSessionRequestSchema,
  OpenSessionResponseSchema,
  SessionService,
  type AgentConfig,
  type AgentHello,
  type OpenSessionRequest,
  type OpenSessionResponse,
  type ServerWelcome,
} from "./gen/bowline/agent/v1/session_pb.ts";
export {
  ReportRequestSchema,
  ReportResponseSchema,
  ReportService,
  type ObjectRef,
  type ReportItem,
  type ReportRequest,
  type ReportResponse,
} from "./gen/bowline/agent/v1/report_pb.ts";
