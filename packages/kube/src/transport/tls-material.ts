import { createSecureContext, type SecureContext } from "node:tls";
import { BowlineError } from "@bowline/core";

/** Everything a TLS connection is made from, as PEM text. */
export interface TlsMaterial {
  /** Left out: the authorities Node ships with. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
}

export function sameMaterial(a: TlsMaterial, b: TlsMaterial): boolean {
  return (
    a.ca === b.ca &&
    a.cert === b.cert &&
    a.key === b.key &&
    a.serverName === b.serverName &&
    a.insecureSkipVerify === b.insecureSkipVerify
  );
}

/** Parses the certificates once for all connections, and says so when they cannot be used. */
export function secureContextOf({ ca, cert, key }: TlsMaterial): SecureContext {
  try {
    return createSecureContext({
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
  } catch (error) {
    throw new BowlineError(
      "KubeconfigInvalid",
      "The certificates of this connection cannot be used; check that certificate-authority, client-certificate and " +
        "client-key are PEM and that the key belongs to the certificate.",
      { cause: error },
    );
  }
}
