import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";

import type { AgentConnection } from "./agent-connection.ts";

/** A call that somebody makes; who it is, nobody has found out yet. */
export interface AgentCall {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly connection: AgentConnection;
  /** Names the call in logs and in the audit. */
  readonly requestId: string;
}

/** Answers the calls of one path. It settles the call itself, whatever happens. */
export type CallHandler = (call: AgentCall) => void | Promise<void>;
