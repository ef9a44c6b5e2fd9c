import { randomUUID } from "node:crypto";

import type { ClusterApiSettings } from "@bowline/api";
import { BowlineError, hasCode } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { Discovery, KubeClient, resources, type KubeObject, type Transport } from "@bowline/kube";

import { ClusterApiProvider } from "../../clusterapi/cluster-api-provider.ts";
import type { ClusterApiAccess, TemplateRequest } from "../../clusterapi/management-cluster.ts";
import type { Provider, WantedCluster } from "../../provider.ts";
import type { Inventory, ProviderWorld } from "../provider-stage.ts";
import type { StatusForm } from "./cluster-status.ts";
import { classesOf, clustersOf, installClusterApi, networkResource, sampleClass } from "./definitions.ts";
import { ReferenceClusterApi } from "./reference-cluster-api.ts";

/** What is in the Secret of the template, and nowhere else. */
export const templateSecret = "canary-identity-5c1e90";

/** The namespace of all worlds of a management cluster: a stage says once for all which one it is. */
export const worldNamespace = "clusters";

/** A cluster of its own in a management cluster, in which Cluster API is played, and a provider that reaches it. */
export class ClusterApiWorld implements ProviderWorld, ClusterApiAccess {
  readonly clock = new ManualClock();
  readonly controllers: ReferenceClusterApi;
  readonly cluster = { id: randomUUID(), name: `web-${randomUUID().slice(0, 8)}` };
  readonly form: StatusForm;
  /** With all rights. */
  readonly admin: KubeClient;
  /** As the provider reaches it. */
  actsWith: Transport;
  /** The objects of the template; another function for another template. */
  template: (request: TemplateRequest) => readonly KubeObject[] = (request) => this.#sampleTemplate(request);
  /** Requests of the provider. */
  readonly requests: string[] = [];
  #isDown = false;
  #discovery: Discovery;

  constructor(admin: KubeClient, form: StatusForm) {
    this.admin = admin;
    this.form = form;
    this.actsWith = admin.transport;
    this.controllers = new ReferenceClusterApi({ client: admin, form, ...this.#place });
    this.#discovery = this.#newDiscovery();
  }

  get #place(): { readonly namespace: string; readonly name: string } {
    return { namespace: worldNamespace, name: this.cluster.name };
  }

  provider(): Provider {
    this.#discovery = this.#newDiscovery();
    return new ClusterApiProvider(this);
  }

  /** Time passes for everybody: what plays Cluster API does one thing meanwhile. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.controllers.step();
  }

  open(name: string): ReturnType<ClusterApiAccess["open"]> {
    const client = new KubeClient(this.#gated());
    const discovery = this.#discovery;
    return Promise.resolve({
      name,
      client,
      discovery,
      [Symbol.asyncDispose]: () => client.transport.close(),
    });
  }

  render(request: TemplateRequest): Promise<readonly KubeObject[]> {
    return Promise.resolve(this.template(request));
  }

  async inventory(): Promise<Inventory> {
    const labelSelector = `bowline.dev/cluster=${this.cluster.id}`;
    const { admin } = this;
    const counts: Record<string, number> = {};
    for (const resource of [clustersOf(this.form.version), networkResource, resources.secrets]) {
      const { items } = await admin.listMetadata(resource, { namespace: worldNamespace, labelSelector });
      if (items.length > 0) counts[resource.kind] = items.length;
    }
    return counts;
  }

  complete({ clusterapi }: WantedCluster["spec"]): Inventory {
    return clusterapi?.template === undefined ? { Cluster: 1 } : { Cluster: 1, SampleNetwork: 1, Secret: 1 };
  }

  async putForeign(): Promise<void> {
    const { version } = this.form;
    await this.admin.create(clustersOf(version), {
      apiVersion: `cluster.x-k8s.io/${version}`,
      kind: "Cluster",
      metadata: { ...this.#place, labels: { team: "payments" } },
      spec: { infrastructureRef: { name: "of-somebody-else" } },
    });
  }

  async foreign(): Promise<unknown> {
    const { metadata, spec } = await this.liveCluster();
    const { uid, labels, annotations, deletionTimestamp, generation } = metadata;
    return { uid, labels, annotations, deletionTimestamp, generation, spec };
  }

  /** A person in the management cluster deletes the Cluster, and Cluster API does what it is told. */
  async takeAway(): Promise<void> {
    const { version } = this.form;
    await this.admin.delete(clustersOf(version), this.#place);
    for (let isThere = true; isThere;) {
      await this.controllers.step();
      isThere = await this.liveCluster().then(
        () => true,
        (error: unknown) => {
          if (hasCode(error, "NotFound")) return false;
          throw error;
        },
      );
    }
  }

  breakDown(isDown: boolean): Promise<void> {
    this.#isDown = isDown;
    return Promise.resolve();
  }

  liveCluster(): Promise<KubeObject> {
    const { version } = this.form;
    return this.admin.get(clustersOf(version), this.#place);
  }

  /** What a test leaves is in nobody's way: every world has names of its own. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  #newDiscovery(): Discovery {
    return new Discovery(new KubeClient(this.#gated()), { clock: this.clock });
  }

  /** The way to the management cluster, as long as its agent is connected. */
  #gated(): Transport {
    let isClosed = false;
    return {
      detectsDeadPeer: true,
      request: (request) => {
        if (isClosed) return Promise.reject(new Error("Somebody uses a way that is closed."));
        if (this.#isDown) {
          const message = "No agent of the cluster mgmt is connected.";
          return Promise.reject(new BowlineError("AgentOffline", message));
        }
        this.requests.push(`${request.method} ${request.path}`);
        return this.actsWith.request(request);
      },
      close: () => {
        isClosed = true;
        return Promise.resolve();
      },
    };
  }

  #sampleTemplate({ cluster, parameters }: TemplateRequest): readonly KubeObject[] {
    const { name } = cluster;
    const { group, version, kind } = networkResource;
    const networkRef = { apiVersion: `${group}/${version}`, kind, name: `${name}-network` };
    const { zones = "1" } = parameters;
    return [
      {
        apiVersion: `cluster.x-k8s.io/${this.form.version}`,
        kind: "Cluster",
        metadata: { name, labels: { zones } },
        spec: { infrastructureRef: networkRef },
      },
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: `${name}-identity` },
        data: { key: Buffer.from(templateSecret).toString("base64") },
      },
      {
        apiVersion: networkRef.apiVersion,
        kind,
        metadata: { name: networkRef.name },
        spec: { zones },
      },
    ];
  }
}

/** Makes a management cluster of an API server: the kinds, the namespace of the worlds, and a class. */
export async function prepareManagementCluster(
  admin: KubeClient,
  versions: readonly StatusForm["version"][],
): Promise<void> {
  await installClusterApi(admin, versions);
  const metadata = { name: worldNamespace };
  await admin.create(resources.namespaces, { apiVersion: "v1", kind: "Namespace", metadata });
  const version = versions.at(-1) ?? "v1beta1";
  await admin.create(classesOf(version), sampleClass(version, worldNamespace));
}

/** Settings of a cluster in such a management cluster. */
export function specWith(settings: Partial<ClusterApiSettings>): WantedCluster["spec"] {
  return {
    provider: "clusterapi",
    clusterapi: { managementCluster: "mgmt", namespace: worldNamespace, ...settings },
  };
}
