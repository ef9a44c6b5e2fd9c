import type { ServerResponse } from "node:http";

import { sendJson, TestServer } from "@bowline/client/testing";

import type { Environment } from "../command/command-context.ts";
import { ServerSocket } from "./server-socket.ts";
import { webInstance, webPlacement } from "./sample-rollout.ts";

interface FakeContainer {
  readonly id: string;
  readonly state: object;
  readonly restartCount?: number;
  lines: string[];
  /** Lines of the container before. */
  readonly previous?: readonly string[];
}

/**
 * A server with the instance `web`, which is a Deployment in each of its clusters, and the pods of that: what no
 * simulated cluster has are containers that write logs.
 */
export class PodsBehindServer implements AsyncDisposable {
  readonly #server: TestServer;
  /** By cluster, pod and container. */
  readonly #pods = new Map<string, Map<string, Map<string, FakeContainer>>>();
  readonly #followers = new Map<string, Set<ServerResponse>>();
  readonly #commands = new Map<string, (socket: ServerSocket) => void>();
  /** Addresses of WebSockets that were asked for. */
  readonly upgrades: string[] = [];
  /** The subprotocol that the clusters choose. */
  protocol = "v5.channel.k8s.io";
  /** Clusters whose API server knows nothing of exec, in their own words. */
  readonly withoutExec = new Map<string, string>();
  /** Clusters whose agent is away. */
  readonly offline = new Set<string>();

  private constructor(server: TestServer) {
    this.#server = server;
  }

  static async start(...clusters: readonly string[]): Promise<PodsBehindServer> {
    const server = await TestServer.start(({ url }, response) =>
      started.#answer(new URL(url, "http://server"), response),
    );
    const started = new PodsBehindServer(server);
    server.onUpgrade((request, socket) => {
      const run = started.#commands.get(new URL(request.url ?? "", "http://server").pathname);
      started.upgrades.push(request.url ?? "");
      if (run === undefined) socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
      else run(new ServerSocket(request, socket, started.protocol));
    });
    for (const cluster of clusters) started.#pods.set(cluster, new Map());
    return started;
  }

  get environment(): Environment {
    return {
      BOWLINE_SERVER: this.#server.url,
      BOWLINE_TOKEN: "bwl_test",
      BOWLINE_CONFIG: "/nowhere/config.yaml",
    };
  }

  get requests(): string[] {
    return this.#server.requests.map(({ url }) => url);
  }

  /** How many logs somebody follows. */
  get followed(): number {
    return [...this.#followers.values()].reduce((sum, { size }) => sum + size, 0);
  }

  set(cluster: string, pod: string, container: string, state: FakeContainer): void {
    const pods = this.#pods.get(cluster) ?? new Map();
    pods.set(pod, (pods.get(pod) ?? new Map()).set(container, state));
    this.#pods.set(cluster, pods);
  }

  delete(cluster: string, pod: string): void {
    this.#pods.get(cluster)?.delete(pod);
  }

  /** What a command does that is run in a pod. */
  onExec(cluster: string, pod: string, run: (socket: ServerSocket) => void): void {
    this.#commands.set(`/clusters/${cluster}/api/v1/namespaces/shop/pods/${pod}/exec`, run);
  }

  write(cluster: string, pod: string, container: string, line: string): void {
    this.#pods.get(cluster)?.get(pod)?.get(container)?.lines.push(line);
    for (const response of this.#followers.get(`${cluster}/${pod}/${container}`) ?? [])
      response.write(`${line}\n`);
  }

  /** Ends what is followed, as when the container has ended, or breaks it off, as when the tunnel is lost. */
  endLog(cluster: string, pod: string, container: string, how: "end" | "break"): void {
    const key = `${cluster}/${pod}/${container}`;
    for (const response of this.#followers.get(key) ?? []) {
      if (how === "end") response.end();
      else response.destroy();
    }
    this.#followers.delete(key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  #answer(url: URL, response: ServerResponse): void {
    if (url.pathname === "/api/v1/workloadinstances/web") return sendJson(response, 200, webInstance({}));
    if (url.pathname === "/api/v1/workloadplacements") {
      const resources = [
        {
          group: "apps",
          version: "v1",
          kind: "Deployment",
          namespace: "shop",
          name: "web",
          state: "applied",
          health: "Healthy",
        } as const,
        {
          group: "",
          version: "v1",
          kind: "Service",
          namespace: "shop",
          name: "web",
          state: "applied",
          health: "Healthy",
        } as const,
      ];
      const items = [...this.#pods.keys()].map((cluster) => webPlacement(cluster, { resources }));
      return sendJson(response, 200, { metadata: { resourceVersion: "1", total: items.length }, items });
    }
    const [, cluster = "", path = ""] = /^\/clusters\/([^/]+)(.*)$/u.exec(url.pathname) ?? [];
    if (this.offline.has(cluster))
      return sendJson(response, 504, statusOf("Timeout", "The agent is not there."));
    if (path === "/apis/apps/v1/namespaces/shop/deployments/web") {
      return sendJson(response, 200, {
        kind: "Deployment",
        spec: { selector: { matchLabels: { app: "web" } } },
      });
    }
    if (path === "/api/v1/namespaces/shop/pods" && url.searchParams.get("labelSelector") === "app=web") {
      return sendJson(response, 200, { kind: "PodList", items: this.#podList(cluster) });
    }
    if (path.endsWith("/exec")) {
      const words = this.withoutExec.get(cluster);
      if (words !== undefined) return sendJson(response, 404, statusOf("NotFound", words));
      return sendJson(response, 403, statusOf("Forbidden", "you may not run commands here"));
    }
    const [, pod = ""] = /^\/api\/v1\/namespaces\/shop\/pods\/([^/]+)\/log$/u.exec(path) ?? [];
    const container = url.searchParams.get("container") ?? "";
    const found = this.#pods.get(cluster)?.get(pod)?.get(container);
    if (found === undefined) return sendJson(response, 404, statusOf("NotFound", "there is no such log"));
    this.#sendLog(found, { key: `${cluster}/${pod}/${container}`, query: url.searchParams, response });
  }

  #sendLog(
    container: FakeContainer,
    {
      key,
      query,
      response,
    }: { readonly key: string; readonly query: URLSearchParams; readonly response: ServerResponse },
  ): void {
    const since = query.get("sinceTime");
    const all = query.get("previous") === "true" ? (container.previous ?? []) : container.lines;
    // Clusters look at whole seconds only.
    const lines = all.filter((line) => since === null || line.slice(0, 19) >= since.slice(0, 19));
    const tail = query.get("tailLines");
    response.writeHead(200, { "content-type": "text/plain" });
    response.flushHeaders();
    for (const line of tail === null ? lines : lines.slice(-Number(tail))) response.write(`${line}\n`);
    if (query.get("follow") !== "true" || !("running" in container.state)) return void response.end();
    const followers = this.#followers.get(key) ?? new Set();
    this.#followers.set(key, followers.add(response));
    response.once("close", () => followers.delete(response));
  }

  #podList(cluster: string): object[] {
    return [...(this.#pods.get(cluster) ?? [])].map(([name, containers]) => ({
      metadata: { namespace: "shop", name, uid: `uid-${name}` },
      spec: { containers: [...containers.keys()].map((container) => ({ name: container })) },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [...containers].map(([container, { id, state, restartCount = 0 }]) => ({
          name: container,
          containerID: id,
          state,
          restartCount,
        })),
      },
    }));
  }
}

function statusOf(reason: string, message: string): object {
  return { kind: "Status", apiVersion: "v1", status: "Failure", reason, message };
}
