import type { ClientHttp2Session } from "node:http2";
import { isIP } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";

import { BowlineError, withDeadline, type Clock } from "@bowline/core";
import { openAgentSession } from "@bowline/protocol";

import { dialError } from "./dial-error.ts";
import { openSocket } from "./open-socket.ts";
import { chainOf, type PresentedCertificate } from "./presented-chain.ts";
import { proxyFor, type Environment } from "./proxy-for.ts";

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
  /** Who may have signed the server's certificate, as PEM; without it, those that Node trusts. */
  readonly caPem: string | undefined;
  readonly signal: AbortSignal;
}

/** Connects to servers: over TCP or through a proxy, in TLS, speaking HTTP/2. */
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
      const tls = { ...identityOf(url), ...(caPem === undefined ? {} : { ca: caPem }) };
      return openAgentSession({ authority: url.origin, socket, tls, signal: limit });
    });
  }

  /** The certificates that a server shows, its own first, whether or not anybody should trust them. Nothing is sent. */
  presentedChain({ server, signal }: Omit<DialTarget, "caPem">): Promise<PresentedCertificate[]> {
    const url = serverUrl(server);
    return this.#within(url, signal, async (limit) => {
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
        await new Promise<void>((resolve, reject) => {
          secure.once("secureConnect", resolve).once("error", reject);
        });
        return chainOf(secure.getPeerCertificate(true));
      } finally {
        limit.removeEventListener("abort", stop);
        secure.destroy();
        socket.destroy();
      }
    });
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
