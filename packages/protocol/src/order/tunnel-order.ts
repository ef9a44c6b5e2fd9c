import { MessageOrder } from "./message-order.ts";

export type TunnelMessage = "OPEN" | "HEADERS" | "DATA" | "END";

/**
 * What the server sends on one stream. RESET may come in any state and ends the stream; WINDOW may come in any state
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
 * What the agent sends on one stream; RESET and WINDOW as above. It need not wait for the end of the request.
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
