import {
  BowlineError,
  connectionFailure,
  hostAndPort,
  type ConnectionFailure,
  type ErrorCode,
} from "@bowline/core";

export interface Endpoint {
  /** URL of the server, without credentials. */
  readonly server: string;
  /** URL of the proxy on the way, without credentials. */
  readonly proxy?: string | undefined;
  /** Whether only the authorities that were named are trusted. */
  readonly pinned: boolean;
}

interface Meaning {
  readonly code: ErrorCode;
  readonly says: (where: string, endpoint: Endpoint, error: Error) => string;
}

/** With one on the way, this machine looks for that one only. */
const whichProxy = "correct HTTPS_PROXY, or name the host of the server in NO_PROXY";

const other: Meaning = {
  code: "ConnectionFailed",
  says: (where, _endpoint, error) =>
    `No answer from ${where} (${error.message}); check the address and the network`,
};

const meanings: Readonly<Partial<Record<ConnectionFailure, Meaning>>> = {
  expired: {
    code: "CertificateExpired",
    says: (where) =>
      `The certificate of ${where} has expired; renew it on the server, or correct the clock of this machine`,
  },
  notYetValid: {
    code: "CertificateExpired",
    says: (where) => `The certificate of ${where} is not valid yet; correct the clock of this machine`,
  },
  untrusted: {
    code: "CertificateUntrusted",
    says: (where, { pinned, server }) =>
      pinned
        ? `The certificate of ${where} is not signed by the authority this client was told to trust; if the server got a new one on purpose, log in again with \`bowline login ${server}\``
        : `The certificate of ${where} is not signed by an authority this machine trusts; pin it with \`bowline login ${server} --ca-file FILE\` or \`--ca-fingerprint sha256:…\``,
  },
  wrongName: {
    code: "CertificateUntrusted",
    says: (where) =>
      `The certificate of ${where} is for another host name; use a name that it lists, or add this one to the server's certificate`,
  },
  notTls: {
    code: "NotBowline",
    says: (where) =>
      `${where} does not answer in TLS; check the port, and whether the URL should begin with http://`,
  },
  notHttp: {
    code: "NotBowline",
    says: (where) =>
      `${where} does not answer in HTTP; check the port, and whether the URL should begin with https://`,
  },
  invalid: {
    code: "InvalidArgument",
    says: (_where, _endpoint, error) => `The request cannot be sent: ${error.message}`,
  },
  refused: {
    code: "ConnectionFailed",
    says: (where, { proxy }) =>
      proxy === undefined
        ? `Nothing listens at ${where}; check that the server runs, and the address and port`
        : `Nothing listens at the proxy ${proxy}; ${whichProxy}`,
  },
  unresolved: {
    code: "ConnectionFailed",
    says: (where, { proxy }) =>
      proxy === undefined
        ? `The host name of ${where} is not known; check its spelling, and DNS`
        : `The host name of the proxy ${proxy} is not known; ${whichProxy}`,
  },
  silent: {
    code: "ConnectionFailed",
    says: (where) => `${where} does not answer; check the network, the firewall and the VPN`,
  },
  broken: {
    code: "ConnectionFailed",
    says: (where) =>
      `The connection to ${where} broke; check the network, and whether the URL should begin with http:// or https://`,
  },
};

/** A failure on the way to the server, as one sentence that says where and what to do. */
export function connectionError(thrown: unknown, endpoint: Endpoint): BowlineError {
  if (thrown instanceof BowlineError) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { failure, errno } = connectionFailure(error);
  const place = hostAndPort(endpoint.server);
  const where = endpoint.proxy === undefined ? place : `${place} through the proxy ${endpoint.proxy}`;
  const { code, says } = meanings[failure] ?? other;
  return new BowlineError(code, `${says(where, endpoint, error)}.`, {
    cause: error,
    details: { server: endpoint.server, errno },
  });
}
