import type { ClientHttp2Session } from "node:http2";
import { isIP } from "node:net";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";

import { BowlineError, proxyFor, withDeadline, type Clock, type Environment } from "@bowline/core";
import { dialSocketTunnel, openHttp2Session, tunnelProtocol, type ByteChannel } from "@bowline/protocol";
import { shownChain, type ShownCertificate } from "@bowline/tls";

import { dialError } from "./dial-error.ts";
import { openSocket } from "./open-socket.ts";

export interface ServerDialerOptions {
  readonly clock: Clock;
  /** For the proxy to use. */
  readonly environment: Environment;
  /** Until the connection can be used. Default 15 s. */
  readonly connectTimeoutMs?: number;
}

export interface DialTarget {
  /** `https://bowline.example.com:7443` */
  readonly server: string;
  /** CAs that may have signed the server's certificate, as PEM; without it, those that Node trusts. */
  readonly caPem: string | undefined;
  readonly signal: AbortSignal;
}

/** The part of a shown certificate that an agent looks at. */
export type PresentedCertificate = Pick<ShownCertificate, "pem" | "fingerprint">;

export interface PresentedChainTarget extends Omit<DialTarget, "caPem"> {
  readonly trusts: (chain: readonly PresentedCertificate[]) => boolean;
}

/** How long a server may take to close a connection that is not needed any more. */
const leaveLimitMs = 1_000;

/** Connects to servers: over TCP or through a proxy, in TLS, speaking HTTP/2 or carrying a tunnel. */
export class ServerDialer {
  readonly #options: ServerDialerOptions;

  constructor(options: ServerDialerOptions) {
    this.#options = options;
  }

  /** The errors are one sentence each that says what to check. */
  dial({ server, caPem, signal }: DialTarget): Promise<ClientHttp2Session> {
    const url = serverUrl(server);
    return this.#within(url, signal, async (limit) => {
      const socket = await this.#socket(url, limit);
      return openHttp2Session({ authority: url.origin, socket, tls: trusting(url, caPem), signal: limit });
    });
  }

  /**
   * A connection for one tunnel and nothing else, with the headers of its call. Undefined where something on the way
   * knows only HTTP/2.
   */
  dialTunnel(
    { server, caPem, signal }: DialTarget,
    headers: Readonly<Record<string, string>>,
  ): Promise<ByteChannel | undefined> {
    const url = serverUrl(server);
    return this.#within(url, signal, async (limit) => {
      const socket = await this.#socket(url, limit);
      const ALPNProtocols = [tunnelProtocol, "h2"];
      const secure = connectTls({ ...trusting(url, caPem), socket, ALPNProtocols });
      await handshakeOf(secure, limit);
      if (secure.alpnProtocol === tunnelProtocol) {
        return dialSocketTunnel(secure, { headers, signal: limit });
      }
      await this.#leave(secure);
      return undefined;
    });
  }

  /**
   * The certificates that a server shows, its own first. Nothing is sent. If they are not trusted, the handshake is
   * broken off, so that the server sees that; else it is left in peace.
   */
  presentedChain(target: PresentedChainTarget): Promise<PresentedCertificate[]> {
    const url = serverUrl(target.server);
    return this.#within(url, target.signal, async (limit) => {
      const socket = await this.#socket(url, limit);
      const secure = connectTls({
        ...identityOf(url),
        socket,
        ALPNProtocols: ["h2"],
        rejectUnauthorized: false,
      });
      const stop = (): void => void secure.destroy(new Error("No longer wanted."));
      limit.addEventListener("abort", stop, { once: true });
      try {
        const chain = await presentedBy(secure, target.trusts);
        if (!secure.destroyed) await this.#leave(secure);
        return chain;
      } finally {
        limit.removeEventListener("abort", stop);
        secure.destroy();
        socket.destroy();
      }
    });
  }

  async #leave(secure: TLSSocket): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      secure.once("close", () => resolve()).on("error", () => {});
    });
    const cancel = this.#options.clock.after(leaveLimitMs, () => secure.destroy());
    secure.resume().end();
    await closed;
    cancel();
  }

  #socket(url: URL, signal: AbortSignal): ReturnType<typeof openSocket> {
    const proxy = proxyFor(url, this.#options.environment);
    return openSocket({
      host: hostOf(url),
      port: url.port === "" ? 443 : Number(url.port),
      proxy,
      signal,
    });
  }

  async #within<T>(url: URL, signal: AbortSignal, work: (limit: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, connectTimeoutMs = 15_000 } = this.#options;
    const onTimeout = (): BowlineError =>
      new BowlineError(
        "ConnectionFailed",
        `${url.host} does not answer within ${connectTimeoutMs / 1000} s; check the network, the firewall and the proxy.`,
      );
    try {
      return await withDeadline(work, { clock, limitMs: connectTimeoutMs, signal, onTimeout });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw dialError(error, url.host);
    }
  }
}

/** Resolves when it is done; a connection that fails, or takes too long, is closed. */
async function handshakeOf(secure: TLSSocket, signal: AbortSignal): Promise<void> {
  const stop = (): void => void secure.destroy(new Error("No longer wanted."));
  signal.addEventListener("abort", stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      // The listener stays: whoever gets the connection may not be listening yet.
      secure.once("secureConnect", resolve).on("error", reject);
    });
  } catch (error) {
    secure.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function trusting(url: URL, caPem: string | undefined): ConnectionOptions {
  return { ...identityOf(url), ...(caPem === undefined ? {} : { ca: caPem }) };
}

/** Names are sent, so that one address can serve several; addresses are only compared with the certificate. */
function identityOf(url: URL): ConnectionOptions {
  const host = hostOf(url);
  return isIP(host) === 0 ? { host, servername: host } : { host };
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/gu, "");
}

function serverUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol === "https:") return url;
  throw new BowlineError(
    "InvalidArgument",
    `An agent connects to servers by https:// only, not to ${server}.`,
  );
}

/**
 * The chain that a server shows. Unless it is trusted, the connection is broken off before the handshake is complete,
 * while this end has not sent its last part.
 */
function presentedBy(
  secure: TLSSocket,
  trusts: (chain: readonly PresentedCertificate[]) => boolean,
): Promise<PresentedCertificate[]> {
  return new Promise((resolve, reject) => {
    secure.once("error", reject).once("secureConnect", () => {
      const chain = shownChain(secure.getPeerCertificate(true));
      if (!trusts(chain)) secure.destroy();
      resolve(chain);
    });
  });
}
