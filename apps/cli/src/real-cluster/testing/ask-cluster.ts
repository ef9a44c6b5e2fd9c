import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { json } from "node:stream/consumers";

import type { Stage } from "./stage.ts";

export interface ClusterAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

export interface ClusterQuestion {
  readonly token: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request to the cluster's endpoint, to see what kubectl does not show. */
export async function askCluster(
  { endpoint, caPem }: Pick<Stage, "endpoint" | "caPem">,
  { token, method, path, headers }: ClusterQuestion,
): Promise<ClusterAnswer> {
  const sent = request(`${endpoint}${path}`, {
    method,
    ca: caPem,
    agent: false,
    timeout: 30_000,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  sent.on("timeout", () => sent.destroy(new Error(`${method} ${path} was not answered.`)));
  const [answer] = (await once(sent.end(), "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await json(answer) };
}
