import { BowlineError, connectionFailure, type ConnectionFailure, type ErrorCode } from "@bowline/core";

interface Meaning {
  readonly code: ErrorCode;
  readonly says: (host: string, reason: string) => string;
}

const notNow: Meaning = {
  code: "CertificateExpired",
  says: (host) =>
    `The certificate of ${host} is not valid now; renew it, or correct the clock of this machine.`,
};

const notOurs: Meaning = {
  code: "NotBowline",
  says: (host, reason) =>
    `${host} does not speak the protocol of agents (${reason}); check the address, and that nothing in between takes TLS apart.`,
};

const other: Meaning = {
  code: "ConnectionFailed",
  says: (host, reason) => `There is no connection to ${host} (${reason}); check the network.`,
};

const meanings: Readonly<Partial<Record<ConnectionFailure, Meaning>>> = {
  expired: notNow,
  notYetValid: notNow,
  untrusted: {
    code: "CertificateUntrusted",
    says: (host) =>
      `The certificate of ${host} is not signed by the CA that the agent trusts; if the server has a new CA, let the agent join again with a new token, or name the CA with --server-ca-file.`,
  },
  wrongName: {
    code: "CertificateUntrusted",
    says: (host) =>
      `The certificate of ${host} is for another name; add the name to the server's certificate (--tls-names), or set its --advertised-url.`,
  },
  unresolved: {
    code: "ConnectionFailed",
    says: (host) => `The name ${host} cannot be resolved; check the address of the server and DNS.`,
  },
  refused: {
    code: "ConnectionFailed",
    says: (host) => `Nothing accepts connections at ${host}; check that the server runs.`,
  },
  notTls: notOurs,
};

/** A failure on the way to a server, as one sentence that says what to check. */
export function dialError(thrown: unknown, host: string): BowlineError {
  if (thrown instanceof BowlineError) return thrown;
  const { failure, errno } = connectionFailure(thrown);
  const speaksOtherwise = /^ERR_(?:SSL|HTTP2)/u.test(errno);
  const { code, says } = meanings[failure] ?? (speaksOtherwise ? notOurs : other);
  return new BowlineError(code, says(host, reasonOf(thrown)), { cause: thrown, details: { host, errno } });
}

/** The message of OpenSSL is for people who debug OpenSSL; its reason is short. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return "reason" in thrown && typeof thrown.reason === "string" ? thrown.reason : thrown.message;
}
