import { request as requestPlainly, type IncomingMessage } from "node:http";
import { request as requestSecurely } from "node:https";
import { TLSSocket } from "node:tls";

import type { Clock } from "@bowline/core";

export interface ServerProbe {
  /** How much later it is on the server; its header has whole seconds. */
  readonly clockAheadMs?: number | undefined;
  /** The end of the certificate that it shows. */
  readonly certificateEndsMs?: number | undefined;
}

interface ProbeOptions {
  readonly server: string;
  readonly caPem: string | undefined;
  readonly clock: Pick<Clock, "now">;
  readonly signal: AbortSignal;
}

const limitMs = 5_000;
/** The header is cut to a second, and nobody knows when within the request it was written. */
const headerErrorMs = 1_000;

/**
 * What one answer tells beside its body. No token is sent, so a certificate that nobody should trust may be looked at
 * too. Nothing is known of a server that does not answer, or that is reached through a proxy.
 */
export async function probeServer({ server, caPem, clock, signal }: ProbeOptions): Promise<ServerProbe> {
  const url = new URL("version", server.endsWith("/") ? server : `${server}/`);
  const options = { agent: false, timeout: limitMs, signal };
  const beforeMs = clock.now();
  const sent =
    url.protocol === "http:"
      ? requestPlainly(url, options)
      : requestSecurely(url, {
          ...options,
          rejectUnauthorized: false,
          ...(caPem === undefined ? {} : { ca: caPem }),
        });
  return new Promise((resolve) => {
    const stop = (): void => resolve({});
    sent.once("error", stop).once("timeout", () => sent.destroy());
    sent.once("response", (response) => {
      const certificateEndsMs = endOf(response);
      response.destroy();
      resolve({ ...aheadOf(response, beforeMs, clock.now()), certificateEndsMs });
    });
    sent.end();
  });
}

function aheadOf({ headers }: IncomingMessage, beforeMs: number, afterMs: number): ServerProbe {
  const serverMs = Date.parse(headers.date ?? "");
  if (Number.isNaN(serverMs)) return {};
  if (serverMs + headerErrorMs < beforeMs) return { clockAheadMs: serverMs + headerErrorMs - beforeMs };
  return { clockAheadMs: Math.max(0, serverMs - afterMs) };
}

function endOf({ socket }: IncomingMessage): number | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const endsMs = Date.parse(socket.getPeerCertificate().valid_to ?? "");
  return Number.isNaN(endsMs) ? undefined : endsMs;
}
