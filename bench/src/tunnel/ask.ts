import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request, type Agent } from "node:https";
import { text } from "node:stream/consumers";

import { loopback, type Target } from "./target.ts";

export interface Question {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Keeps connections, as programs do that ask often; one for each question when not given. */
  readonly agent?: Agent;
}

const limitMs = 10_000;

/** One request of the bench itself, over TLS; the text of the answer. Throws when it is no success. */
export async function ask(
  { host = loopback, port, ca, token }: Target,
  { method = "GET", path, body, headers = {}, agent }: Question,
): Promise<string> {
  const sent = request({
    host,
    port,
    ca,
    method,
    path,
    agent: agent ?? false,
    signal: AbortSignal.timeout(limitMs),
    headers: {
      ...headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const said = await text(answer);
  const { statusCode = 0 } = answer;
  if (statusCode >= 300) throw new Error(`${statusCode} for ${method} ${path}: ${said}`);
  return said;
}
