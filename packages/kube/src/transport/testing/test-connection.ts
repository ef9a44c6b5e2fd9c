import type { ClusterConnection } from "../../config/cluster-connection.ts";
import type { KubeResponse } from "../../transport.ts";

/** A connection without credentials; tests say what is different. */
export function testConnection(server: string, parts: Partial<ClusterConnection> = {}): ClusterConnection {
  return {
    name: "test",
    server,
    namespace: "default",
    insecureSkipVerify: false,
    auth: { type: "none" },
    ...parts,
  };
}

export async function textOfBody(response: KubeResponse): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response.body as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
