import { isIP } from "node:net";

import { Cluster } from "@bowline/api";
import { errorCodes, type BowlineError } from "@bowline/core";

import type { AuditBuffer, NewAuditRecord } from "@bowline/store";

/** A caller, as far as the network tells who it is. */
export interface Caller {
  readonly address: string;
  readonly requestId: string;
}

type AgentVerb = "join" | "connect";

/** Records of what agents did, and of what they, or others in their name, were refused. */
export class AgentAudit {
  readonly #buffer: Pick<AuditBuffer, "record">;

  constructor(buffer: Pick<AuditBuffer, "record">) {
    this.#buffer = buffer;
  }

  /** Writes down what somebody was refused. A failure that is nobody's doing, such as a connection's, is not written. */
  refused(verb: AgentVerb, caller: Caller, error: BowlineError): void {
    const { httpStatus } = errorCodes[error.code];
    const isDenied = httpStatus === 401 || httpStatus === 403;
    if (!isDenied && error.code !== "InvalidArgument" && error.code !== "ProtocolViolation") return;
    this.#buffer.record({
      ...recordOf(verb, caller, error.details?.["cluster"]),
      outcome: isDenied ? "denied" : "failed",
      httpStatus,
      message: error.message.slice(0, maxMessageLength),
    });
  }

  /** An agent went away when it was shown the certificate. */
  distrusted(caller: Caller): void {
    this.#buffer.record({
      ...recordOf("connect", caller, undefined),
      outcome: "failed",
      httpStatus: errorCodes.CertificateUntrusted.httpStatus,
      message:
        "An agent went away when it was shown the certificate; it may not trust the CA of this server.",
    });
  }
}

/** As the schema of the record has it. */
const maxMessageLength = 1_024;

/** The record of something that an agent was allowed. */
export function allowedRecord(
  verb: AgentVerb,
  caller: Caller,
  { cluster, message }: { readonly cluster: string; readonly message: string },
): NewAuditRecord {
  return { ...recordOf(verb, caller, cluster), outcome: "allowed", httpStatus: 200, message };
}

function recordOf(
  verb: AgentVerb,
  { address, requestId }: Caller,
  cluster: unknown,
): Pick<NewAuditRecord, "actor" | "verb" | "kind" | "name" | "requestId"> {
  return {
    actor: isIP(address) === 0 ? {} : { address },
    verb,
    kind: Cluster.kind,
    ...(typeof cluster === "string" ? { name: cluster } : {}),
    requestId,
  };
}
