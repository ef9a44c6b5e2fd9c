import type { OpenSessionRequest, OpenSessionResponse } from "../gen/bowline/agent/v1/session_pb.ts";
import { MessageOrder } from "./message-order.ts";
import type { Said } from "./said.ts";

/**
 * What an agent says in its session. It may leave in any state but the first.
 *
 * - `unknown`: nothing yet
 * - `present`: it said hello
 * - `draining`: it said that it leaves; it still answers
 */
export const sessionAgentOrder = new MessageOrder<
  "unknown" | "present" | "draining",
  Said<OpenSessionRequest>
>({
  name: "what an agent says in its session",
  initial: "unknown",
  final: ["present", "draining"],
  transitions: {
    unknown: { hello: "present" },
    present: {
      heartbeat: "present",
      heartbeatAck: "present",
      configApplied: "present",
      draining: "draining",
    },
    draining: { heartbeat: "draining", heartbeatAck: "draining", configApplied: "draining" },
  },
});

/**
 * What the server says in an agent's session. It may leave in any state but the first; to refuse the session, it ends
 * the call in the first, with a status other than OK.
 *
 * - `silent`: nothing yet
 * - `welcoming`: it said welcome
 * - `draining`: it said that it leaves; it still answers, and configures nothing any more
 */
export const sessionServerOrder = new MessageOrder<
  "silent" | "welcoming" | "draining",
  Said<OpenSessionResponse>
>({
  name: "what the server says in an agent's session",
  initial: "silent",
  final: ["welcoming", "draining"],
  transitions: {
    silent: { welcome: "welcoming" },
    welcoming: {
      heartbeat: "welcoming",
      heartbeatAck: "welcoming",
      config: "welcoming",
      replicas: "welcoming",
      draining: "draining",
    },
    draining: { heartbeat: "draining", heartbeatAck: "draining" },
  },
});
