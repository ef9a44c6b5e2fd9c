/** A server that answers. */
export interface RunningServer {
  /** What clients are told to call it. */
  readonly url: string;
  /** Where it listens: `host:port`. */
  readonly address: string;
  /** Where the data is, for people. */
  readonly data: string;
  /** The CA that clients have to trust, where the server made it itself. */
  readonly caFile: string | undefined;
  /** `sha256:…` of the CA; undefined without TLS, and for a certificate that was given without its CA. */
  readonly caFingerprint: string | undefined;
  /** On the first start only. */
  readonly adminToken: string | undefined;
  readonly adminTokenFile: string;
  /** Drains and stops. Resolves when nothing of it is left; rejects when it did not stop cleanly. */
  close(): Promise<void>;
  /** Settles when it has stopped, for whatever reason; rejects when it failed or did not stop cleanly. */
  readonly ended: Promise<void>;
}
