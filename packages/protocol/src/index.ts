export { duplexChannel, type ByteChannel, type ChannelReceiver } from "./tunnel/byte-channel.ts";
export type { AnswerHead, HeaderList, RequestHead } from "./tunnel/frame.ts";
export { gatheredWrites } from "./tunnel/gathered-writes.ts";
export { resetReasonOf, type ResetReason } from "./tunnel/reset-reason.ts";
export type {
  AcceptStream,
  OpenOptions,
  TunnelConnectionOptions,
} from "./tunnel/tunnel-connection-options.ts";
export { TunnelConnection } from "./tunnel/tunnel-connection.ts";
export { defaultTunnelLimits, type TunnelLimits } from "./tunnel/tunnel-limits.ts";
export { TunnelMemory } from "./tunnel/tunnel-memory.ts";
export type { StreamHandler, TunnelStream } from "./tunnel/tunnel-stream.ts";

export { openAgentSession, type AgentSessionOptions } from "./http2/agent-session.ts";
export { joinCall, reportCall, sessionCall, type CallDirection, type CallKind } from "./http2/call-kind.ts";
export { grpcError, grpcTrailers } from "./http2/grpc-status.ts";
export { tunnelHttp2Options, widenSessionWindow } from "./http2/http2-options.ts";
export {
  answerMessages,
  callMessages,
  type CallMessagesOptions,
  type MessageCall,
} from "./http2/message-call.ts";
export {
  answerTunnel,
  callTunnel,
  refuseTunnel,
  relayPath,
  tunnelPath,
  type CallTunnelOptions,
} from "./http2/tunnel-call.ts";

export {
  agreeToSocketTunnel,
  dialSocketTunnel,
  refuseSocketTunnel,
  tunnelProtocol,
} from "./socket/socket-tunnel.ts";

export { joinAgentOrder, joinServerOrder } from "./order/join-order.ts";
export type { MessageOrder, OrderTracker } from "./order/message-order.ts";
export { reportAgentOrder, reportServerOrder } from "./order/report-order.ts";
export { sessionAgentOrder, sessionServerOrder } from "./order/session-order.ts";
export { answerOrder, requestOrder } from "./order/tunnel-order.ts";

export {
  agentTokenAudience,
  agentTokenLifetimeSeconds,
  sessionHeader,
  signAgentToken,
  type AgentTokenOptions,
} from "./agent-token.ts";
export { joinStatement } from "./join-statement.ts";
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
