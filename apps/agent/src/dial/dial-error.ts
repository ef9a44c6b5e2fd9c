import { BowlineError, type ErrorCode } from "@bowline/core";

const untrusted =
  /^(?:CERT_(?!HAS_EXPIRED|NOT_YET)|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|INVALID_CA|INVALID_PURPOSE)/u;

/** What each kind of failure means, in the order they are tried; the last one always fits. */
const meanings: readonly {
  readonly fits: RegExp;
  readonly code: ErrorCode;
  readonly says: (host: string, reason: string) => string;
}[] = [
  {
    fits: /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/u,
    code: "CertificateExpired",
    says: (host) =>
      `The certificate of ${host} is not valid now; renew it, or correct the clock of this machine.`,
  },
  {
    fits: untrusted,
    code: "CertificateUntrusted",
    says: (host) =>
      `The certificate of ${host} is not signed by the CA that the agent trusts; if the server has a new CA, let the agent join again with a new token, or name the CA with --server-ca-file.`,
  },
  {
    fits: /^ERR_TLS_CERT_ALTNAME_INVALID$/u,
    code: "CertificateUntrusted",
    says: (host) =>
      `The certificate of ${host} is for another name; add the name to the server's certificate (--tls-names), or set its --advertised-url.`,
  },
  {
    fits: /^(?:ENOTFOUND|EAI_)/u,
    code: "ConnectionFailed",
    says: (host) => `The name ${host} cannot be resolved; check the address of the server and DNS.`,
  },
  {
    fits: /^ECONNREFUSED$/u,
    code: "ConnectionFailed",
    says: (host) => `Nothing accepts connections at ${host}; check that the server runs.`,
  },
  {
    fits: /^(?:ERR_SSL|EPROTO|ERR_HTTP2)/u,
    code: "NotBowline",
    says: (host, reason) =>
      `${host} does not speak the protocol of agents (${reason}); check the address, and that nothing in between takes TLS apart.`,
  },
  {
    fits: /^/u,
    code: "ConnectionFailed",
    says: (host, reason) => `There is no connection to ${host} (${reason}); check the network.`,
  },
];

/** What failed on the way to a server, as one sentence that says what to check. */
export function dialError(thrown: unknown, host: string): BowlineError {
  if (thrown instanceof BowlineError) return thrown;
  const reason = reasonOf(thrown);
  const errno = errnoOf(thrown);
  const meaning = meanings.find(({ fits }) => fits.test(errno));
  return new BowlineError(meaning?.code ?? "ConnectionFailed", meaning?.says(host, reason) ?? reason, {
    cause: thrown,
    details: { host, errno },
  });
}

/** What OpenSSL says as a message is for those who debug OpenSSL. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return "reason" in thrown && typeof thrown.reason === "string" ? thrown.reason : thrown.message;
}

/** Where several addresses were tried, the first says as much as all of them. */
function errnoOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return errnoOf(thrown.errors[0]);
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
}
