/** A certificate, with those between it and its CA, and its private key, as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}
