import { KubeSocket, SocketRefused, type KubeSocketOptions } from "@bowline/kubesim/testing";
import { onTestFinished } from "vitest";

import type { RunningTarget } from "./target.ts";

export type SocketOptions = Partial<Omit<KubeSocketOptions, "url" | "caCert" | "path">>;

/** A WebSocket to the cluster, of the administrator if nobody else is named; it is closed with the test. */
export async function openSocket(
  { url, caCert, adminToken }: RunningTarget,
  path: string,
  options: SocketOptions = {},
): Promise<KubeSocket> {
  const socket = await KubeSocket.open({ url, caCert, path, token: adminToken, ...options });
  onTestFinished(() => socket[Symbol.dispose]());
  return socket;
}

export interface Refusal {
  readonly status: number;
  /** What is said in JSON; texts are as they are. */
  readonly body: unknown;
}

/** The answer of a server that must not change to a WebSocket. */
export async function refusalOf(
  cluster: RunningTarget,
  path: string,
  options: SocketOptions = {},
): Promise<Refusal> {
  try {
    await openSocket(cluster, path, options);
  } catch (error) {
    if (error instanceof SocketRefused)
      return {
        status: error.status,
        body: error.body.startsWith("{") ? JSON.parse(error.body) : error.body,
      };
    throw error;
  }
  throw new Error(`The server took the WebSocket of ${path}.`);
}
