import { BowlineError, type ErrorCode } from "@bowline/core";

export interface Endpoint {
  /** URL of the API server, without credentials. */
  readonly server: string;
  /** URL of the proxy on the way, without credentials. */
  readonly proxy?: string | undefined;
}

const untrusted = new Set([
  "CERT_CHAIN_TOO_LONG",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
const wrongName = new Set(["ERR_TLS_CERT_ALTNAME_INVALID", "HOSTNAME_MISMATCH"]);
const unresolved = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "EAI_NONAME"]);
const silent = new Set(["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN"]);
const slow = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);
/** Also what a reused socket shows when the server closed it a moment before. */
const broken = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "UND_ERR_SOCKET"]);
const notTls = new Set(["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG", "EPROTO"]);
const clientCertificate = /^ERR_SSL_.*ALERT_(BAD_CERTIFICATE|CERTIFICATE_|UNKNOWN_CA|HANDSHAKE_FAILURE)/;

/** What each kind of failure means, in the order they are tried; the last one always fits. */
const meanings: readonly {
  readonly fits: (errno: string) => boolean;
  readonly code: ErrorCode;
  readonly says: (where: string, error: Error) => string;
}[] = [
  {
    fits: (errno) => errno === "CERT_HAS_EXPIRED",
    code: "CertificateExpired",
    says: (where) =>
      `The certificate of ${where} has expired; renew it, or correct the clock of this machine`,
  },
  {
    fits: (errno) => errno === "CERT_NOT_YET_VALID",
    code: "CertificateExpired",
    says: (where) => `The certificate of ${where} is not valid yet; correct the clock of this machine`,
  },
  {
    fits: (errno) => errno.endsWith("ALERT_CERTIFICATE_EXPIRED"),
    code: "CertificateExpired",
    says: (where) => `${where} says that the client certificate has expired; get a new one`,
  },
  {
    fits: (errno) => untrusted.has(errno),
    code: "CertificateUntrusted",
    says: (where) =>
      `The certificate of ${where} is not signed by an authority this client trusts; ` +
      "set certificate-authority to the CA of the cluster",
  },
  {
    fits: (errno) => wrongName.has(errno),
    code: "CertificateUntrusted",
    says: (where) =>
      `The certificate of ${where} is for another host name; use a name it lists, or set tls-server-name`,
  },
  {
    fits: (errno) => clientCertificate.test(errno),
    code: "CertificateUntrusted",
    says: (where) =>
      `${where} does not accept the client certificate; check client-certificate and client-key`,
  },
  {
    fits: (errno) => notTls.has(errno),
    code: "NotKubernetes",
    says: (where) =>
      `${where} does not answer in TLS; check the port, and whether the URL should start with http://`,
  },
  {
    fits: (errno) => errno.startsWith("HPE_"),
    code: "NotKubernetes",
    says: (where) =>
      `${where} does not answer in HTTP; check the port, and whether the URL should start with https://`,
  },
  {
    fits: (errno) => errno === "UND_ERR_INVALID_ARG",
    code: "InvalidArgument",
    says: (_where, error) => `The request cannot be sent: ${error.message}`,
  },
  {
    fits: (errno) => errno === "ECONNREFUSED",
    code: "ConnectionFailed",
    says: (where) =>
      `Nothing accepts connections at ${where}; check that the API server runs and that URL and port are right`,
  },
  {
    fits: (errno) => unresolved.has(errno),
    code: "ConnectionFailed",
    says: (where) => `The host name of ${where} cannot be resolved; check the server URL and DNS`,
  },
  {
    fits: (errno) => silent.has(errno),
    code: "ConnectionFailed",
    says: (where) =>
      `No connection to ${where}: it does not answer; check the network, the firewall and the VPN`,
  },
  {
    fits: (errno) => slow.has(errno),
    code: "ConnectionFailed",
    says: (where) =>
      `${where} took the request but did not answer in time; check the health of the API server`,
  },
  {
    fits: (errno) => broken.has(errno),
    code: "ConnectionFailed",
    says: (where) =>
      `The connection to ${where} broke; check the network and whether the API server restarted`,
  },
  {
    fits: () => true,
    code: "ConnectionFailed",
    says: (where, error) =>
      `No answer from ${where} (${error.message}); check the server URL and the network`,
  },
];

/** What failed on the way to the API server, as one sentence that says where and what to check. */
export function connectionError(error: Error, endpoint: Endpoint): BowlineError {
  if (error instanceof BowlineError) return error;
  const errno = innermostCode(error);
  const where =
    endpoint.proxy === undefined ? place(endpoint) : `${place(endpoint)} through ${endpoint.proxy}`;
  const meaning = meanings.find(({ fits }) => fits(errno));
  return new BowlineError(meaning?.code ?? "ConnectionFailed", `${meaning?.says(where, error) ?? where}.`, {
    cause: error,
    details: { ...endpoint, errno },
  });
}

/** Whether the connection broke in a way that a new one may heal at once. */
export function isBrokenConnection(error: unknown): boolean {
  if (!(error instanceof BowlineError) || error.code !== "ConnectionFailed") return false;
  const errno = error.details?.["errno"];
  return typeof errno === "string" && broken.has(errno);
}

/** `https://user:secret@host/` without what may not be shown. */
export function withoutCredentials(url: string): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href.replace(/\/$/, "");
}

function place({ server }: Endpoint): string {
  const { protocol, hostname, port } = new URL(server);
  return `${hostname}:${port === "" ? (protocol === "http:" ? "80" : "443") : port}`;
}

/** undici and happy eyeballs wrap what happened; the deepest code is the one that says it. */
function innermostCode(error: unknown, depth = 0): string {
  if (depth > 8 || !(error instanceof Error)) return "";
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  const deeper = innermostCode(inner, depth + 1);
  if (deeper !== "") return deeper;
  if ("code" in error && typeof error.code === "string") return error.code;
  // Of what its parser refuses, undici gives only some a code.
  return error.name === "HTTPParserError" ? "HPE_INVALID" : "";
}
