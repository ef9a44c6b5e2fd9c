import { BowlineError, type ErrorCode } from "@bowline/core";

export interface Endpoint {
  /** URL of the server, without credentials. */
  readonly server: string;
  /** URL of the proxy on the way, without credentials. */
  readonly proxy?: string | undefined;
  /** Whether only the authorities that were named are trusted. */
  readonly pinned: boolean;
}

interface Meaning {
  readonly fits: (errno: string) => boolean;
  readonly code: ErrorCode;
  readonly says: (where: string, endpoint: Endpoint, error: Error) => string;
}

const among = (...errnos: readonly string[]): ((errno: string) => boolean) => {
  const set = new Set(errnos);
  return (errno) => set.has(errno);
};

/** What each failure means, in the order they are tried; the last one always fits. */
const meanings: readonly Meaning[] = [
  {
    fits: among("CERT_HAS_EXPIRED"),
    code: "CertificateExpired",
    says: (where) =>
      `The certificate of ${where} has expired; renew it on the server, or correct the clock of this machine`,
  },
  {
    fits: among("CERT_NOT_YET_VALID"),
    code: "CertificateExpired",
    says: (where) => `The certificate of ${where} is not valid yet; correct the clock of this machine`,
  },
  {
    fits: among(
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
    ),
    code: "CertificateUntrusted",
    says: (where, { pinned, server }) =>
      pinned
        ? `The certificate of ${where} is not signed by the authority this client was told to trust; if the server got a new one on purpose, log in again with \`bowline login ${server}\``
        : `The certificate of ${where} is not signed by an authority this machine trusts; pin it with \`bowline login ${server} --ca-file FILE\` or \`--ca-fingerprint sha256:…\``,
  },
  {
    fits: among("ERR_TLS_CERT_ALTNAME_INVALID", "HOSTNAME_MISMATCH"),
    code: "CertificateUntrusted",
    says: (where) =>
      `The certificate of ${where} is for another host name; use a name that it lists, or add this one to the server's certificate`,
  },
  {
    fits: among("ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG", "EPROTO"),
    code: "NotBowline",
    says: (where) =>
      `${where} does not answer in TLS; check the port, and whether the URL should begin with http://`,
  },
  {
    fits: (errno) => errno.startsWith("HPE_"),
    code: "NotBowline",
    says: (where) =>
      `${where} does not answer in HTTP; check the port, and whether the URL should begin with https://`,
  },
  {
    fits: among("UND_ERR_INVALID_ARG"),
    code: "InvalidArgument",
    says: (_where, _endpoint, error) => `The request cannot be sent: ${error.message}`,
  },
  {
    fits: among("ECONNREFUSED"),
    code: "ConnectionFailed",
    says: (where) => `Nothing listens at ${where}; check that the server runs, and the address and port`,
  },
  {
    fits: among("ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "EAI_NONAME"),
    code: "ConnectionFailed",
    says: (where) => `The host name of ${where} is not known; check its spelling, and DNS`,
  },
  {
    fits: among("UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN"),
    code: "ConnectionFailed",
    says: (where) => `${where} does not answer; check the network, the firewall and the VPN`,
  },
  {
    fits: among("ECONNRESET", "EPIPE", "ECONNABORTED", "UND_ERR_SOCKET"),
    code: "ConnectionFailed",
    says: (where) =>
      `The connection to ${where} broke; check the network, and whether the URL should begin with http:// or https://`,
  },
  {
    fits: () => true,
    code: "ConnectionFailed",
    says: (where, _endpoint, error) =>
      `No answer from ${where} (${error.message}); check the address and the network`,
  },
];

/** What failed on the way to the server, as one sentence that says where and what to do. */
export function connectionError(thrown: unknown, endpoint: Endpoint): BowlineError {
  if (thrown instanceof BowlineError) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const errno = innermostCode(error);
  const where =
    endpoint.proxy === undefined
      ? placeOf(endpoint.server)
      : `${placeOf(endpoint.server)} through the proxy ${endpoint.proxy}`;
  const meaning = meanings.find(({ fits }) => fits(errno));
  return new BowlineError(
    meaning?.code ?? "ConnectionFailed",
    `${meaning?.says(where, endpoint, error) ?? where}.`,
    { cause: error, details: { server: endpoint.server, errno } },
  );
}

/** `https://user:secret@host/` without what may not be shown. */
export function withoutCredentials(url: string): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href.replace(/\/$/, "");
}

function placeOf(server: string): string {
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
