import { BowlineError, codeOf } from "@bowline/core";
import type { ResetReason } from "@bowline/protocol";

/** Why there is no answer, or no more of it, as the server is told. */
export interface UpstreamFailure {
  readonly reason: ResetReason;
  readonly message: string;
}

/** Nothing was sent: nobody listens, nobody has the name, or whoever answers cannot be trusted. */
const unreachable =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_|EHOST|ENET|EADDRNOTAVAIL|EMFILE|CERT_|ERR_TLS|ERR_SSL|EPROTO|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA)/u;

/** Codes that a kept socket fails with when the API server closed it a moment before. */
const broken: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED"]);

export function upstreamFailure(error: Error, place: string): UpstreamFailure {
  if (error instanceof BowlineError) return ofOurOwn(error);
  const code = firstCodeOf(error);
  if (code === "ETIMEDOUT") {
    return { reason: "timeout", message: `The agent's connection to the API server at ${place} timed out.` };
  }
  if (unreachable.test(code)) {
    const message = `The agent cannot reach the API server at ${place}: ${error.message}.`;
    return { reason: "unreachable", message };
  }
  if (code.startsWith("HPE_")) {
    const message = `What the API server at ${place} answered is not HTTP that can be passed on: ${error.message}.`;
    return { reason: "upstream", message };
  }
  return { reason: "upstream", message: `The API server at ${place} broke off: ${error.message}.` };
}

export function isBroken(error: Error): boolean {
  return broken.has(firstCodeOf(error));
}

function ofOurOwn({ code, message }: BowlineError): UpstreamFailure {
  if (code === "Timeout") return { reason: "timeout", message };
  // Its text is a bug's, which is not for the other side.
  if (code === "Internal") return { reason: "internal", message: "" };
  // An answer that the tunnel does not carry, such as one with a head that is too large.
  if (code === "HeadersTooLarge" || code === "ProtocolViolation") return { reason: "upstream", message };
  return { reason: "unreachable", message };
}

/** Where several addresses were tried, the first says as much as all of them. */
function firstCodeOf(error: unknown): string {
  const [first]: unknown[] = error instanceof AggregateError ? error.errors : [];
  return codeOf(error) ?? (first === undefined ? "" : firstCodeOf(first));
}
