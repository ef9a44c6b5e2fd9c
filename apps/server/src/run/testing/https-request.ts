import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";

export interface RequestOptions {
  readonly ca?: string;
  readonly token?: string;
  readonly method?: string;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** One request on a connection of its own, checked against the CA. */
export async function send(url: string, options: RequestOptions = {}): Promise<Answer> {
  const { ca, token, method = "GET", body } = options;
  const request = (url.startsWith("https:") ? httpsRequest : httpRequest)(url, {
    method,
    agent: false,
    ...(ca === undefined ? {} : { ca }),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
  });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}
