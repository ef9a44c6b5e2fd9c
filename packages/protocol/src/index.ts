export { duplexChannel, gatheredWrites, type ByteChannel } from "./tunnel/byte-channel.ts";
export type { AnswerHead, HeaderList, RequestHead } from "./tunnel/http-head.ts";
export {
  resetReasonOf,
  type ResetReason,
  type StreamHandler,
  type TunnelStream,
} from "./tunnel/tunnel-stream.ts";
export type { AcceptStream, OpenOptions, TunnelConnectionOptions } from "./tunnel/tunnel-options.ts";
export { TunnelConnection } from "./tunnel/tunnel-connection.ts";
export { TunnelMemory } from "./tunnel/tunnel-memory.ts";

export {
  cutHttp2Session,
  openHttp2Session,
  tunnelHttp2Options,
  widenSessionWindow,
} from "./transport/http2-session.ts";
export { joinCall, reportCall, sessionCall } from "./transport/call-kind.ts";
export { answerMessages, callMessages, type MessageCall } from "./transport/message-call.ts";
export { answerTunnel, callTunnel, refuseTunnel, relayPath, tunnelPath } from "./transport/tunnel-call.ts";

export {
  acceptSocketTunnel,
  dialSocketTunnel,
  refuseSocketTunnel,
  tunnelProtocol,
} from "./transport/socket-tunnel.ts";

export {
  agentTokenAudience,
  agentTokenLifetimeSeconds,
  joinStatement,
  sessionHeader,
  signAgentToken,
} from "./agent-proof.ts";
export { decodeJoinToken, encodeJoinToken, type JoinToken } from "./join-token.ts";

export type { JoinAccepted, JoinHello, JoinRequest } from "./gen/bowline/agent/v1/join_pb.ts";
export { ReportTopic } from "./gen/bowline/agent/v1/report_pb.ts";
/** @public For the agent's reports of the graph, and the gateway that takes them in. */
export { CoverageState } from "./gen/bowline/agent/v1/report_pb.ts";
/** @public For the agent's reports of the graph, and the gateway that takes them in. */
export type {
  KnownObjects,
  ObservedCoverage,
  ObservedFacts,
  ObservedView,
} from "./gen/bowline/agent/v1/report_pb.ts";
export type {
  ObjectRef,
  ObservedEvent,
  ObservedObject,
  ReportBatch,
  ReportBegin,
  ReportItem,
  ReportRequest,
  ReportResponse,
} from "./gen/bowline/agent/v1/report_pb.ts";
export type {
  AgentConfig,
  AgentHello,
  OpenSessionRequest,
  OpenSessionResponse,
  ServerWelcome,
} from "./gen/bowline/agent/v1/session_pb.ts";
