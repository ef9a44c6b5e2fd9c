import {
  BowlineError,
  connectionFailure,
  hostAndPort,
  type ConnectionFailure,
  type ErrorCode,
} from "@bowline/core";

export interface Endpoint {
  /** URL of the API server, without credentials. */
  readonly server: string;
  /** URL of the proxy on the way, without credentials. */
  readonly proxy?: string | undefined;
}

interface Meaning {
  readonly code: ErrorCode;
  readonly says: (where: string, error: Error) => string;
}

const meanings: Readonly<Record<ConnectionFailure, Meaning>> = {
  expired: {
    code: "CertificateExpired",
    says: (where) =>
      `The certificate of ${where} has expired; renew it, or correct the clock of this machine`,
  },
  notYetValid: {
    code: "CertificateExpired",
    says: (where) => `The certificate of ${where} is not valid yet; correct the clock of this machine`,
  },
  clientExpired: {
    code: "CertificateExpired",
    says: (where) => `${where} says that the client certificate has expired; get a new one`,
  },
  untrusted: {
    code: "CertificateUntrusted",
    says: (where) =>
      `The certificate of ${where} is not signed by an authority this client trusts; ` +
      "set certificate-authority to the CA of the cluster",
  },
  wrongName: {
    code: "CertificateUntrusted",
    says: (where) =>
      `The certificate of ${where} is for another host name; use a name it lists, or set tls-server-name`,
  },
  clientRefused: {
    code: "CertificateUntrusted",
    says: (where) =>
      `${where} does not accept the client certificate; check client-certificate and client-key`,
  },
  notTls: {
    code: "NotKubernetes",
    says: (where) =>
      `${where} does not answer in TLS; check the port, and whether the URL should start with http://`,
  },
  notHttp: {
    code: "NotKubernetes",
    says: (where) =>
      `${where} does not answer in HTTP; check the port, and whether the URL should start with https://`,
  },
  invalid: {
    code: "InvalidArgument",
    says: (_where, error) => `The request cannot be sent: ${error.message}`,
  },
  refused: {
    code: "ConnectionFailed",
    says: (where) =>
      `Nothing accepts connections at ${where}; check that the API server runs and that URL and port are right`,
  },
  unresolved: {
    code: "ConnectionFailed",
    says: (where) => `The host name of ${where} cannot be resolved; check the server URL and DNS`,
  },
  silent: {
    code: "ConnectionFailed",
    says: (where) =>
      `No connection to ${where}: it does not answer; check the network, the firewall and the VPN`,
  },
  slow: {
    code: "ConnectionFailed",
    says: (where) =>
      `${where} took the request but did not answer in time; check the health of the API server`,
  },
  broken: {
    code: "ConnectionFailed",
    says: (where) =>
      `The connection to ${where} broke; check the network and whether the API server restarted`,
  },
  other: {
    code: "ConnectionFailed",
    says: (where, error) =>
      `No answer from ${where} (${error.message}); check the server URL and the network`,
  },
};

/** A failure on the way to the API server, as one sentence that says where and what to check. */
export function connectionError(error: Error, endpoint: Endpoint): BowlineError {
  if (error instanceof BowlineError) return error;
  const { failure, errno } = connectionFailure(error);
  const place = hostAndPort(endpoint.server);
  const where = endpoint.proxy === undefined ? place : `${place} through ${endpoint.proxy}`;
  const { code, says } = meanings[failure];
  return new BowlineError(code, `${says(where, error)}.`, { cause: error, details: { ...endpoint, errno } });
}

/** Whether the connection broke in a way that a new one may heal at once. */
export function isBrokenConnection(error: unknown): boolean {
  if (!(error instanceof BowlineError) || error.code !== "ConnectionFailed") return false;
  return connectionFailure(error).failure === "broken";
}
