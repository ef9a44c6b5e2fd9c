import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";

export interface HttpsGetOptions {
  /** Trusted for this request; without it the server's certificate is not checked, which only loopback probes may do. */
  readonly caCert?: string;
  readonly token?: string;
  readonly signal: AbortSignal;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly body: string;
}

/** The harness asks a server whether it is up without the client that is to be tested on it. */
export async function httpsGet(
  url: string,
  { caCert, token, signal }: HttpsGetOptions,
): Promise<HttpsAnswer> {
  const sent = request(url, {
    agent: false,
    signal,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(caCert === undefined ? { rejectUnauthorized: false } : { ca: caCert }),
  });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}
