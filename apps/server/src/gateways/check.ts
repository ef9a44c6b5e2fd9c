import type { Gateway } from "@bowline/api";
import { shortened } from "@bowline/core";

export type ClusterStatus = Gateway["status"]["clusters"][number];
type GatewayCheck = ClusterStatus["checks"][number];
export type CheckType = GatewayCheck["type"];

/** What was found about one thing; `True` needs no message. */
export interface Finding {
  readonly status: GatewayCheck["status"];
  readonly reason: string;
  readonly message: string;
}

/** As long as a message may be in the status of a Gateway. */
export const maxMessageLength = 1_024;

export function found(reason: string, message = ""): Finding {
  return { status: "True", reason, message };
}

export function missing(reason: string, message: string): Finding {
  return { status: "False", reason, message };
}

export function unknown(reason: string, message: string): Finding {
  return { status: "Unknown", reason, message };
}

/** Things that nobody asked for, or that cannot be found out from here, stand in nobody's way. */
const leftOut: ReadonlySet<string> = new Set(["NotProbed", "AddressNotAllowed"]);

/** Puts findings together: the first that is not so is why the whole is not. */
export function summarized(
  cluster: string,
  findings: ReadonlyMap<CheckType, Finding>,
): Pick<ClusterStatus, "cluster" | "ready" | "reason" | "message" | "checks"> {
  const checks = [...findings].map(([type, { status, reason, message }]) => ({
    type,
    status,
    reason,
    message: shortened(message, maxMessageLength),
  }));
  const counted = checks.filter(({ reason }) => !leftOut.has(reason));
  const trouble =
    counted.find(({ status }) => status === "False") ?? counted.find(({ status }) => status !== "True");
  const last = checks.at(-1);
  const {
    status: ready,
    reason,
    message,
  } = trouble ?? {
    status: "True" as const,
    reason: last?.reason ?? "Reachable",
    message: last?.message ?? "",
  };
  return { cluster, ready, reason, message, checks };
}

/** How it does in a cluster where a Gateway comes no further than its class. */
export function stopped(cluster: string, finding: Finding): ClusterStatus {
  return { addresses: [], ...summarized(cluster, new Map<CheckType, Finding>([["Class", finding]])) };
}

/** What is known of a Gateway before anything of it is there. */
export const beingMade = unknown("NotProgrammed", "It is being made.");
