import { asRecord, hasCode } from "@bowline/core";
import { resources, type KubeClient, type KubeObject } from "@bowline/kube";

import { clustersOf } from "./definitions.ts";
import { clusterStatus, phaseAt, type ClusterPhase, type StatusForm } from "./cluster-status.ts";

const finalizer = "cluster.cluster.x-k8s.io";
const fieldManager = "capi-controller-manager";

interface ReferenceOptions {
  readonly client: KubeClient;
  readonly form: StatusForm;
  readonly namespace: string;
  /** The Cluster that it sees to, and no other. */
  readonly name: string;
}

/**
 * Plays the controllers of Cluster API: it does to a Cluster what the contract says, one thing with each call of `step`,
 * and keeps everything in the objects. It can be told to misbehave.
 */
export class ReferenceClusterApi {
  readonly #options: ReferenceOptions;
  /** Clusters come no further than this. */
  stallsAt: ClusterPhase | undefined;
  /** It gives up, with a reason and a message. */
  failure: { readonly reason: string; readonly message: string } | undefined;
  /** Clusters that are to go stay, for this reason. */
  holdsDeletion: string | undefined;
  #kubeconfigs = 1;

  constructor(options: ReferenceOptions) {
    this.#options = options;
  }

  /** The Cluster one step further, if there is one. */
  async step(): Promise<void> {
    const { client, form, namespace, name } = this.#options;
    try {
      await this.#move(await client.get(clustersOf(form.version), { namespace, name }));
    } catch (error) {
      // Not there, or somebody else wrote it meanwhile: with the next step, as a controller does.
      if (!hasCode(error, "Conflict", "NotFound")) throw error;
    }
  }

  /** Renews the kubeconfig, as is done before the certificates in it end. */
  async rotate(): Promise<void> {
    this.#kubeconfigs += 1;
    await this.#writeKubeconfig();
  }

  async #move(cluster: KubeObject): Promise<void> {
    const { finalizers = [], deletionTimestamp, generation = 0 } = cluster.metadata;
    if (asRecord(cluster["spec"])["paused"] === true) return;
    if (deletionTimestamp !== undefined) return this.#takeAway(cluster);
    if (!finalizers.includes(finalizer)) return this.#writeFinalizers(cluster, [...finalizers, finalizer]);
    const status = asRecord(cluster["status"]);
    const isSeen = status["observedGeneration"] === generation;
    const phase = phaseAt(status["phase"], { isSeen, stallsAt: this.stallsAt });
    if (phase === "ControlPlaneInitialized") await this.#writeKubeconfig();
    await this.#writeStatus(cluster, phase);
  }

  async #takeAway(cluster: KubeObject): Promise<void> {
    const { finalizers = [] } = cluster.metadata;
    if (this.holdsDeletion !== undefined) return this.#writeStatus(cluster, "Deleting");
    await this.#deleteKubeconfig();
    await this.#writeFinalizers(
      cluster,
      finalizers.filter((each) => each !== finalizer),
    );
  }

  async #writeStatus(cluster: KubeObject, phase: ClusterPhase): Promise<void> {
    const { client, form } = this.#options;
    const { failure, holdsDeletion } = this;
    const { generation = 0 } = cluster.metadata;
    const status = clusterStatus(form, phase, { generation, failure, holdsDeletion });
    await client.update(
      clustersOf(form.version),
      { ...cluster, status },
      { subresource: "status", fieldManager },
    );
  }

  async #writeFinalizers(
    { metadata: { resourceVersion } }: KubeObject,
    finalizers: readonly string[],
  ): Promise<void> {
    const { client, form, namespace, name } = this.#options;
    const options = { type: "merge", namespace, name, fieldManager } as const;
    await client.patch(clustersOf(form.version), { metadata: { resourceVersion, finalizers } }, options);
  }

  /** With another token after each rotation. */
  async #writeKubeconfig(): Promise<void> {
    const { client, namespace, name: cluster } = this.#options;
    const token = `token-${this.#kubeconfigs}-of-${cluster}`;
    const kubeconfig = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: cluster, cluster: { server: `https://${cluster}.example.test:6443` } }],
      users: [{ name: "admin", user: { token } }],
      contexts: [{ name: "admin", context: { cluster, user: "admin" } }],
      "current-context": "admin",
    };
    const value = Buffer.from(JSON.stringify(kubeconfig)).toString("base64");
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: `${cluster}-kubeconfig`,
        namespace,
        labels: { "cluster.x-k8s.io/cluster-name": cluster },
      },
      type: "cluster.x-k8s.io/secret",
      data: { value },
    };
    await client.apply(resources.secrets, secret, { fieldManager, force: true });
  }

  async #deleteKubeconfig(): Promise<void> {
    const { client, namespace, name } = this.#options;
    try {
      await client.delete(resources.secrets, { namespace, name: `${name}-kubeconfig` });
    } catch (error) {
      if (!hasCode(error, "NotFound")) throw error;
    }
  }
}
