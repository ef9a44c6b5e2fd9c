import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

import { onTestFinished } from "vitest";

const facts: Readonly<Record<string, object>> = {
  "/version": { gitVersion: "v1.36.0", major: "1", minor: "36" },
  "/api/v1/namespaces/kube-system": {
    apiVersion: "meta.k8s.io/v1",
    kind: "PartialObjectMetadata",
    metadata: { name: "kube-system", uid: "5f0b1c1e-0000-4000-8000-000000000001" },
  },
};

/** An API server with what an agent needs to know of its cluster, and requests that go on until somebody ends them. */
export class FakeApiServer {
  readonly requests = new Set<IncomingMessage>();
  readonly #server = createServer((request, response) => this.#answer(request, response));

  constructor() {
    this.#server.on("upgrade", (_: IncomingMessage, socket: Duplex) => {
      socket.on("error", () => {});
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
      socket.on("data", (chunk) => socket.write(chunk)).on("end", () => socket.end());
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many connections are open. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    });
  }

  get kubeconfig(): string {
    const name = "fake";
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": name,
      clusters: [{ name, cluster: { server: `http://127.0.0.1:${this.port}` } }],
      users: [{ name, user: { token: "agent" } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const known = facts[request.url ?? ""];
    if (known !== undefined) return void response.end(JSON.stringify(known));
    // The agent's own questions, for its Lease and for Workloads, which this cluster has not.
    if (!request.url?.includes("/pods")) return void response.writeHead(404).end("{}");
    // Both go on for ever: a watch, and an upload that is read but not answered.
    this.requests.add(request);
    response.once("close", () => this.requests.delete(request));
    request.resume();
    if (request.method === "GET")
      response.writeHead(200, { "content-type": "application/json" }).write("{}\n");
  }
}

export async function startFakeApiServer(): Promise<FakeApiServer> {
  const server = new FakeApiServer();
  await server.listen();
  onTestFinished(() => server.close());
  return server;
}
