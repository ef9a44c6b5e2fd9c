import { createServer, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";

import { resources, type KubeClient, type KubeObject, type ResourceRef } from "@bowline/kube";
import { parse, stringify } from "yaml";

import {
  endpointsTargets,
  podTargets,
  type Endpoints,
  type Pod,
  type TargetGroup,
} from "./kubernetes-targets.ts";

interface Discovery {
  readonly role: string;
  readonly namespaces?: { readonly names: readonly string[] };
}

interface Job {
  readonly kubernetes_sd_configs?: readonly Discovery[];
}

/**
 * Discovery for a Prometheus that is built without that of Kubernetes, as Debian's is. It rewrites a configuration
 * (`POST /config`) so that jobs ask here for their targets (`GET /targets`), and answers with what the cluster has at
 * that moment, under the labels that Prometheus itself would give. The rest of a job stays as it is.
 */
export class DiscoveryStandIn implements AsyncDisposable {
  /** Configurations that collectors were given to read. */
  readonly configs = new Set<string>();
  readonly #client: KubeClient;
  readonly #server: Server;
  #url = "";

  private constructor(client: KubeClient) {
    this.#client = client;
    this.#server = createServer((request, response) => {
      this.#answer(request).then(
        (body) => response.setHeader("content-type", "application/json").end(body),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  }

  static async start(client: KubeClient, hostAddress: string): Promise<DiscoveryStandIn> {
    const started = new DiscoveryStandIn(client);
    await new Promise<void>((resolve, reject) => {
      started.#server.once("error", reject).listen(0, hostAddress, resolve);
    });
    const bound = started.#server.address();
    started.#url = `http://${hostAddress}:${typeof bound === "object" ? bound?.port : ""}`;
    return started;
  }

  /** Where configurations are sent to be rewritten. */
  get configUrl(): string {
    return `${this.#url}/config`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => void this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<string> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.#url);
    if (pathname === "/targets") {
      const namespaces = searchParams.getAll("namespace");
      return JSON.stringify(await this.#targets(searchParams.get("role"), namespaces));
    }
    const config = this.#rewrite(await text(request));
    this.configs.add(config);
    return config;
  }

  #rewrite(config: string): string {
    const { scrape_configs: jobs = [], ...sections }: { scrape_configs?: readonly Job[] } = parse(config);
    const rewritten = jobs.map(({ kubernetes_sd_configs: discoveries, ...job }) => ({
      ...job,
      ...(discoveries === undefined
        ? {}
        : { http_sd_configs: discoveries.map((each) => this.#overHttp(each)) }),
    }));
    return stringify({ ...sections, scrape_configs: rewritten });
  }

  #overHttp({ role, namespaces, ...rest }: Discovery): object {
    // A discovery that is not stood in for must not be passed over.
    if (Object.keys(rest).length > 0) throw new Error(`Discovery has more: ${JSON.stringify(rest)}`);
    const names = (namespaces?.names ?? []).map((name): [string, string] => ["namespace", name]);
    const query = new URLSearchParams([["role", role], ...names]);
    return { url: `${this.#url}/targets?${query.toString()}`, refresh_interval: "1s" };
  }

  async #targets(role: string | null, namespaces: readonly string[]): Promise<TargetGroup[]> {
    const list = async <T extends KubeObject>(resource: ResourceRef): Promise<T[]> => {
      const { items } = await this.#client.list<T>(resource);
      return items.filter(
        ({ metadata }) => namespaces.length === 0 || namespaces.includes(metadata.namespace ?? ""),
      );
    };
    const pods = await list<Pod>(resources.pods);
    if (role === "pod") return podTargets(pods);
    if (role !== "endpoints") throw new Error(`There is no stand-in for the role ${role}.`);
    const services = await list(resources.services);
    return endpointsTargets({ endpoints: await list<Endpoints>(resources.endpoints), services, pods });
  }
}
