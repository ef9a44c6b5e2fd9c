import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from "node:tls";

import { BowlineError } from "@bowline/core";
import { Pool, ProxyAgent, buildConnector, type Dispatcher } from "undici";

interface PoolOptions {
  readonly origin: string;
  readonly caPem?: string | undefined;
  readonly proxyUrl?: string | undefined;
  readonly openStream?: (() => Promise<Duplex>) | undefined;
  readonly connectTimeoutMs: number;
  /** Silence of any kind; whoever asks keeps shorter limits of its own. */
  readonly silenceMs: number;
}

/** Shorter than servers and load balancers wait, so that this side is the one to close an idle socket. */
const idleSocketMs = 4000;

/** The sockets to one server. */
export function createConnectionPool(options: PoolOptions): Dispatcher {
  const { origin, caPem, proxyUrl, openStream, connectTimeoutMs, silenceMs } = options;
  const connect: buildConnector.BuildOptions = {
    timeout: connectTimeoutMs,
    ...(caPem === undefined ? {} : { secureContext: trusting(caPem) }),
  };
  const pool: Pool.Options = {
    // A watch holds its connection for as long as it lasts: a limit would let watches starve requests.
    connections: null,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    keepAliveTimeout: idleSocketMs,
    keepAliveMaxTimeout: idleSocketMs,
  };
  if (openStream !== undefined) {
    return new Pool(origin, { ...pool, connect: throughStream(openStream, connect.secureContext) });
  }
  if (proxyUrl === undefined) return new Pool(origin, { ...pool, connect: buildConnector(connect) });
  return new ProxyAgent({
    ...pool,
    uri: proxyUrl,
    requestTls: connect,
    // A proxy that takes the connection and never answers CONNECT would otherwise be waited for 300 s.
    clientFactory: (proxy, proxyOptions) =>
      new Pool(proxy, { ...proxyOptions, headersTimeout: connectTimeoutMs }),
    connectTimeout: connectTimeoutMs,
  });
}

/** TLS on a stream that somebody else opens; the server is the one whose name is in the address. */
function throughStream(
  openStream: () => Promise<Duplex>,
  secureContext: SecureContext | undefined,
): buildConnector.connector {
  const secure = async (servername: string): Promise<TLSSocket> => {
    const socket = await openStream();
    const secured = connectTls({
      socket,
      servername,
      ...(secureContext === undefined ? {} : { secureContext }),
    });
    await once(secured, "secureConnect");
    return secured;
  };
  return ({ hostname, servername }, callback) => {
    void (async () => {
      try {
        callback(null, await secure(servername ?? hostname));
      } catch (error) {
        callback(error instanceof Error ? error : new Error(String(error)), null);
      }
    })();
  };
}

function requireCertificate(pem: string): X509Certificate {
  return new X509Certificate(pem);
}

function trusting(caPem: string): SecureContext {
  try {
    // createSecureContext() passes over what it cannot read, and would then trust nobody.
    for (const pem of caPem.match(/-----BEGIN[^]*?-----END[^\n]*/g) ?? [caPem]) requireCertificate(pem);
    // A pinned certificate is trusted as it is, even if it is not itself the root of its chain.
    return createSecureContext({ ca: caPem, allowPartialTrustChain: true });
  } catch (cause) {
    throw new BowlineError("InvalidArgument", "The certificate authority to trust is not valid PEM.", {
      cause,
    });
  }
}
