import { codeOf } from "./unknown-values.ts";

/**
 * Why a connection failed, or what came over it was of no use:
 * - `expired`, `notYetValid`: the certificate of the server, by the clock of this machine
 * - `untrusted`: the certificate is not signed by an authority this client trusts
 * - `wrongName`: the certificate is for another host
 * - `clientExpired`, `clientRefused`: the server does not take the certificate of this client
 * - `notTls`, `notHttp`: the other side speaks something else
 * - `invalid`: the request cannot be sent at all
 * - `refused`: nothing listens there
 * - `unresolved`: the host name is not known
 * - `silent`: no answer to the attempt to connect
 * - `slow`: connected, and no answer to the request
 * - `broken`: the connection ended in the middle; also a reused one that the server had just closed
 * - `other`
 */
export type ConnectionFailure =
  | "expired"
  | "notYetValid"
  | "untrusted"
  | "wrongName"
  | "clientExpired"
  | "clientRefused"
  | "notTls"
  | "notHttp"
  | "invalid"
  | "refused"
  | "unresolved"
  | "silent"
  | "slow"
  | "broken"
  | "other";

const errnos: Readonly<Record<string, ConnectionFailure>> = {
  CERT_HAS_EXPIRED: "expired",
  CERT_NOT_YET_VALID: "notYetValid",
  CERT_CHAIN_TOO_LONG: "untrusted",
  CERT_REJECTED: "untrusted",
  CERT_REVOKED: "untrusted",
  CERT_SIGNATURE_FAILURE: "untrusted",
  CERT_UNTRUSTED: "untrusted",
  DEPTH_ZERO_SELF_SIGNED_CERT: "untrusted",
  INVALID_CA: "untrusted",
  INVALID_PURPOSE: "untrusted",
  SELF_SIGNED_CERT_IN_CHAIN: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "untrusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "untrusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "wrongName",
  HOSTNAME_MISMATCH: "wrongName",
  ERR_SSL_WRONG_VERSION_NUMBER: "notTls",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "notTls",
  EPROTO: "notTls",
  UND_ERR_INVALID_ARG: "invalid",
  ECONNREFUSED: "refused",
  ENOTFOUND: "unresolved",
  EAI_AGAIN: "unresolved",
  EAI_NODATA: "unresolved",
  EAI_NONAME: "unresolved",
  UND_ERR_CONNECT_TIMEOUT: "silent",
  ETIMEDOUT: "silent",
  EHOSTUNREACH: "silent",
  ENETUNREACH: "silent",
  EHOSTDOWN: "silent",
  UND_ERR_HEADERS_TIMEOUT: "slow",
  UND_ERR_BODY_TIMEOUT: "slow",
  ECONNRESET: "broken",
  EPIPE: "broken",
  ECONNABORTED: "broken",
  UND_ERR_SOCKET: "broken",
  HPE_INVALID_EOF_STATE: "broken",
};

const clientRefused = /^ERR_SSL_.*ALERT_(?:BAD_CERTIFICATE|CERTIFICATE_|UNKNOWN_CA|HANDSHAKE_FAILURE)/u;

/** The meaning of an error of a socket, of TLS or of an HTTP client for the connection, and the code it came with. */
export function connectionFailure(error: unknown): {
  readonly failure: ConnectionFailure;
  readonly errno: string;
} {
  const errno = innermostCode(error);
  return { failure: failureOf(errno), errno };
}

function failureOf(errno: string): ConnectionFailure {
  if (Object.hasOwn(errnos, errno)) return errnos[errno] ?? "other";
  if (errno.startsWith("HPE_")) return "notHttp";
  if (errno.endsWith("ALERT_CERTIFICATE_EXPIRED")) return "clientExpired";
  return clientRefused.test(errno) ? "clientRefused" : "other";
}

/** HTTP clients and happy eyeballs wrap what happened; the deepest code is the one that says it. */
function innermostCode(error: unknown, depth = 0): string {
  if (depth > 8 || !(error instanceof Error)) return "";
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  const deeper = innermostCode(inner, depth + 1);
  if (deeper !== "") return deeper;
  const code = codeOf(error);
  if (code !== undefined) return code;
  // Of what its parser refuses, undici gives only some a code.
  if (error.name !== "HTTPParserError") return "";
  return error.message.includes("Invalid EOF state") ? "HPE_INVALID_EOF_STATE" : "HPE_INVALID";
}

const problems: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  EADDRINUSE: ["another program listens there", "stop it, or choose another address"],
  EACCES: ["this user may not use the port", "choose one above 1023"],
  EADDRNOTAVAIL: ["this machine does not have that address", "choose another"],
  ENOTFOUND: ["the name is not known", "choose an address"],
};

/**
 * Why a program cannot listen, and what to do about it, to stand behind a colon: `another program listens there; stop
 * it, or choose another address with --listen`.
 */
export function listenProblem(error: unknown, setting: string): string {
  const code = codeOf(error) ?? "";
  const known = Object.hasOwn(problems, code) ? problems[code] : undefined;
  const [reason, remedy] = known ?? [
    error instanceof Error ? error.message : String(error),
    "choose another address",
  ];
  return `${reason}; ${remedy} with ${setting}`;
}
