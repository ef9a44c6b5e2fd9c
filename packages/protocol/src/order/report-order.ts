import type { ReportRequest, ReportResponse } from "../gen/bowline/agent/v1/report_pb.ts";
import { MessageOrder } from "./message-order.ts";
import type { Said } from "./said.ts";

/**
 * What an agent reports. It may leave in any state but the first and go on later where the server says.
 *
 * - `unbegun`: nothing yet
 * - `reporting`: it named its epoch; batches go on, and `complete` comes between two of them, unless it is stored already
 * - `complete`: everything that exists was sent; what follows are changes
 */
export const reportAgentOrder = new MessageOrder<"unbegun" | "reporting" | "complete", Said<ReportRequest>>({
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
 * What the server answers to a report.
 *
 * - `listening`: nothing yet
 * - `ready`: it said where to go on; acks follow
 */
export const reportServerOrder = new MessageOrder<"listening" | "ready", Said<ReportResponse>>({
  name: "what the server says to a report",
  initial: "listening",
  final: ["ready"],
  transitions: {
    listening: { ready: "ready" },
    ready: { ack: "ready" },
  },
});
