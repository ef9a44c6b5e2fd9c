import type { JoinRequest, JoinResponse } from "./gen/bowline/agent/v1/join_pb.ts";
import type { ReportRequest, ReportResponse } from "./gen/bowline/agent/v1/report_pb.ts";
import type { OpenSessionRequest, OpenSessionResponse } from "./gen/bowline/agent/v1/session_pb.ts";
import { MessageOrder } from "./message-order.ts";

/** The messages of a stream by the names they have in the schema, so that an order cannot forget one or make one up. */
type MessageName<Stream extends { readonly message: { readonly case: string | undefined } }> = Exclude<
  Stream["message"]["case"],
  undefined
>;

/**
 * An agent's messages when it joins.
 *
 * - `unknown`: nothing yet
 * - `introduced`: it said who it is and waits for the challenge
 * - `proven`: it answered the challenge and waits for its identity
 */
export const joinAgentOrder = new MessageOrder<"unknown" | "introduced" | "proven", MessageName<JoinRequest>>(
  {
    name: "what an agent says to join",
    initial: "unknown",
    final: ["proven"],
    transitions: {
      unknown: { hello: "introduced" },
      introduced: { proof: "proven" },
      proven: {},
    },
  },
);

/**
 * The server's answers to an agent that joins.
 *
 * - `listening`: nothing yet
 * - `challenged`: it asked for the proof
 * - `accepted`: it gave the identity
 *
 * To refuse, it ends the call in any state, with a status other than OK.
 */
export const joinServerOrder = new MessageOrder<
  "listening" | "challenged" | "accepted",
  MessageName<JoinResponse>
>({
  name: "what the server says to an agent that joins",
  initial: "listening",
  final: ["accepted"],
  transitions: {
    listening: { challenge: "challenged" },
    challenged: { accepted: "accepted" },
    accepted: {},
  },
});

/**
 * An agent's messages in its session. It may leave in any state but the first.
 *
 * - `unknown`: nothing yet
 * - `present`: it said hello
 * - `draining`: it said that it leaves; it still answers
 */
export const sessionAgentOrder = new MessageOrder<
  "unknown" | "present" | "draining",
  MessageName<OpenSessionRequest>
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
 * The server's messages in an agent's session. It may leave in any state but the first; to refuse the session, it ends
 * the call in the first, with a status other than OK.
 *
 * - `silent`: nothing yet
 * - `welcoming`: it said welcome
 * - `draining`: it said that it leaves; it still answers, and configures nothing any more
 */
export const sessionServerOrder = new MessageOrder<
  "silent" | "welcoming" | "draining",
  MessageName<OpenSessionResponse>
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

/**
 * An agent's reports. It may leave in any state but the first and go on later where the server says.
 *
 * - `unbegun`: nothing yet
 * - `reporting`: it named its epoch; batches go on, and `complete` comes between two of them, unless it is stored already
 * - `complete`: everything that exists was sent; what follows are changes
 */
export const reportAgentOrder = new MessageOrder<
  "unbegun" | "reporting" | "complete",
  MessageName<ReportRequest>
>({
  name: "what an agent reports",
  initial: "unbegun",
  final: ["reporting", "complete"],
  transitions: {
    unbegun: { begin: "reporting" },
    reporting: { batch: "reporting", complete: "complete" },
    complete: { batch: "complete" },
  },
});

/**
 * The server's answers to a report.
 *
 * - `listening`: it has not said where to go on; pages of what is known may come
 * - `ready`: it said where to go on; acks follow
 */
export const reportServerOrder = new MessageOrder<"listening" | "ready", MessageName<ReportResponse>>({
  name: "what the server says to a report",
  initial: "listening",
  final: ["ready"],
  transitions: {
    listening: { known: "listening", ready: "ready" },
    ready: { ack: "ready" },
  },
});

type TunnelMessage = "OPEN" | "HEADERS" | "DATA" | "END";

/**
 * The server's frames on one stream. RESET may come in any state and ends the stream; WINDOW may come in any state
 * and changes nothing in the order.
 *
 * - `unopened`: nothing yet
 * - `body`: the request is under way; DATA goes on until END
 * - `ended`: the request is complete
 */
export const requestOrder = new MessageOrder<"unopened" | "body" | "ended", TunnelMessage>({
  name: "the request of a tunnel stream",
  initial: "unopened",
  final: ["ended"],
  transitions: {
    unopened: { OPEN: "body" },
    body: { DATA: "body", END: "ended" },
    ended: {},
  },
});

/** An answer's head that another one follows; 101 is none, the bytes of the new protocol follow it. */
export type AnswerMessage = TunnelMessage | "INTERIM HEADERS";

/**
 * The agent's frames on one stream; RESET and WINDOW as above. It need not wait for the end of the request.
 *
 * - `head`: the answer has not begun, or only interim heads (1xx) have come
 * - `body`: the head has come; DATA goes on until END
 * - `ended`: the answer is complete
 */
export const answerOrder = new MessageOrder<"head" | "body" | "ended", AnswerMessage>({
  name: "the answer of a tunnel stream",
  initial: "head",
  final: ["ended"],
  transitions: {
    head: { "INTERIM HEADERS": "head", HEADERS: "body" },
    body: { DATA: "body", END: "ended" },
    ended: {},
  },
});
