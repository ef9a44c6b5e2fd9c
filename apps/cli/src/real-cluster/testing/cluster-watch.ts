import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { createInterface } from "node:readline";

import type { Cluster } from "@bowline/test-cluster";

/** An object as the cluster has it; the tests read what they know to be there. */
export interface ClusterObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

export interface ClusterChange<Item extends ClusterObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: Item;
}

/** A watch at the API server itself, beside Bowline: it begins with all that is there. Resolves once it is open. */
export async function watchCluster<Item extends ClusterObject>(
  { url, caCert, adminToken }: Pick<Cluster, "url" | "caCert" | "adminToken">,
  path: string,
  handle: (change: ClusterChange<Item>) => void,
): Promise<Disposable> {
  const sent = request(`${url}${path}?watch=true`, {
    ca: caCert,
    agent: false,
    headers: { authorization: `Bearer ${adminToken}` },
  });
  const [answer] = (await once(sent.end(), "response")) as [IncomingMessage];
  if (answer.statusCode !== 200)
    throw new Error(`The watch of ${path} was answered with ${answer.statusCode}.`);
  sent.on("error", () => {});
  const lines = createInterface({ input: answer }).on("error", () => {});
  lines.on("line", (line) => handle(JSON.parse(line) as ClusterChange<Item>));
  return { [Symbol.dispose]: () => void sent.destroy() };
}
