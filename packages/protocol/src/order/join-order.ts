import type { JoinRequest, JoinResponse } from "../gen/bowline/agent/v1/join_pb.ts";
import { MessageOrder } from "./message-order.ts";
import type { Said } from "./said.ts";

/**
 * What an agent says to join.
 *
 * - `unknown`: nothing yet
 * - `introduced`: it said who it is and waits for the challenge
 * - `proven`: it answered the challenge and waits for its identity
 */
export const joinAgentOrder = new MessageOrder<"unknown" | "introduced" | "proven", Said<JoinRequest>>({
  name: "what an agent says to join",
  initial: "unknown",
  final: ["proven"],
  transitions: {
    unknown: { hello: "introduced" },
    introduced: { proof: "proven" },
    proven: {},
  },
});

/**
 * What the server answers.
 *
 * - `listening`: nothing yet
 * - `challenged`: it asked for the proof
 * - `accepted`: it gave the identity
 *
 * To refuse, it ends the call in any state, with a status other than OK.
 */
export const joinServerOrder = new MessageOrder<"listening" | "challenged" | "accepted", Said<JoinResponse>>({
  name: "what the server says to an agent that joins",
  initial: "listening",
  final: ["accepted"],
  transitions: {
    listening: { challenge: "challenged" },
    challenged: { accepted: "accepted" },
    accepted: {},
  },
});
