import type { KeyPair } from "@bowline/tls";

/** Where the certificate that the server shows is from. */
export interface CertificateSource {
  /** What new connections are to be shown. */
  readonly current: KeyPair;
  /** How often to look whether it has to change. */
  readonly refreshMs: number;
  /** Resolves to whether `current` changed. It stays as it is when this rejects. */
  refresh(): Promise<boolean>;
}
