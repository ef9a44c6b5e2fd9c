import { Cluster, type Author } from "@bowline/api";
import { hasCode, LruMap } from "@bowline/core";
import type { Store } from "@bowline/store";

import type { ClusterClients } from "../../workloads/cluster-clients.ts";
import { clusterKey } from "../../workloads/engine-in-cluster.ts";
import type { Finding } from "../check.ts";
import {
  findExternalDns,
  hasCertManager,
  isUsedByOthers,
  type FoundDeployment,
  type ServiceQuestion,
} from "./find-service.ts";
import { notInstalled, notGrantedText } from "./service-findings.ts";
import type { SupportService } from "./support-service.ts";

interface AskingOptions {
  readonly author: Author;
  readonly signal: AbortSignal;
}

const maxRemembered = 1_000;

/** What is asked of clusters to decide about services, in the name of whoever installs them. */
export class ServiceQuestions {
  readonly #objects: Store["objects"];
  readonly #clients: ClusterClients;
  /** Those of others, by cluster, as they were found last. */
  readonly #externalDns = new LruMap<string, FoundDeployment>(maxRemembered);

  constructor(objects: Store["objects"], clients: ClusterClients) {
    this.#objects = objects;
    this.#clients = clients;
  }

  /** Whether it is there, ours or not, or why nobody knows. */
  async isThere(service: SupportService, options: AskingOptions): Promise<boolean | Finding> {
    if (service.type === "external-dns") return this.#hasExternalDns(service, options);
    const { cluster } = service;
    const has = await this.#asking(cluster, options, hasCertManager);
    return has ?? notInstalled(service, notGrantedText(options.author.user, cluster));
  }

  async #hasExternalDns(service: SupportService, options: AskingOptions): Promise<boolean | Finding> {
    const { cluster } = service;
    const { user } = options.author;
    const known = this.#externalDns.get(cluster);
    const asked = await this.#asking(cluster, options, async (question) => ({
      found: await findExternalDns(question, known),
    }));
    if (asked === undefined) return notInstalled(service, notGrantedText(user, cluster));
    if (asked.found === false) return false;
    if (asked.found !== undefined) {
      this.#externalDns.set(cluster, asked.found);
      return true;
    }
    const text = `User "${user}" may not list Deployments of all namespaces of cluster ${cluster}, so nobody knows whether it is there already.`;
    return notInstalled(service, text);
  }

  /** Undefined where it cannot be looked at now, though the cluster will be there again. */
  async isUsedByOthers(service: SupportService, options: AskingOptions): Promise<boolean | undefined> {
    const cluster = await this.#objects.get(Cluster, service.cluster);
    // One that goes is held up by nobody.
    if (cluster === undefined || cluster.metadata.deletedAt !== undefined) return false;
    if (cluster.status.agent?.connectedSince === undefined) return undefined;
    try {
      const isUsed = await this.#asking(service.cluster, options, (question) =>
        isUsedByOthers(service, question),
      );
      return isUsed ?? true;
    } catch (error) {
      if (hasCode(error, "AgentOffline", "TunnelLost")) return undefined;
      throw error;
    }
  }

  /** Undefined when whoever asks may not reach the cluster. */
  async #asking<T>(
    name: string,
    { author, signal }: AskingOptions,
    ask: (question: ServiceQuestion) => Promise<T>,
  ): Promise<T | undefined> {
    const clients = this.#clients;
    const cluster = await this.#objects.get(Cluster, name);
    const { user, method, groups } = author;
    const identity = await clients.identityOf({ user, method, groups: groups ?? [] });
    if (cluster === undefined || identity === undefined || !clients.isGranted(identity, name)) {
      return undefined;
    }
    const client = clients.actingAs(identity, name);
    try {
      const apis = await clients.discovery(name, clusterKey(cluster)).apis();
      return await ask({ client, apis, signal });
    } finally {
      await client.transport.close();
    }
  }
}
