import type { Clock } from "@bowline/core";
import type { KeyPair } from "@bowline/tls";

/** Where the certificate that the server shows is from. */
export interface CertificateSource {
  /** The certificate for new connections. */
  readonly current: KeyPair;
  /** How often to look whether it has to change. */
  readonly refreshMs: number;
  /** Resolves to whether `current` changed. It stays as it is when this rejects. */
  refresh(): Promise<boolean>;
}

export interface KeepFreshOptions {
  readonly source: CertificateSource;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Gets a certificate for the connections to come, such as `setSecureContext` of the server. */
  readonly onRenewed: (pair: KeyPair) => void;
  /** The one before goes on being used. Told once for each thing that goes wrong, not at each attempt. */
  readonly onFailure: (error: unknown) => void;
}

/** Looks after the certificate until the signal aborts; never rejects. */
export async function keepCertificateFresh(options: KeepFreshOptions): Promise<void> {
  const { source, clock, signal, onRenewed, onFailure } = options;
  let problem: string | undefined;
  while (await slept(clock, source.refreshMs, signal)) {
    try {
      if (await source.refresh()) onRenewed(source.current);
      problem = undefined;
    } catch (error) {
      if (String(error) !== problem) onFailure(error);
      problem = String(error);
    }
  }
}

async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch {
    return false;
  }
}
