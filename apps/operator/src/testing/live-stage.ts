import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { resources, type KubeObject } from "@bowline/kube";
import { startCluster, type Cluster } from "@bowline/test-cluster";
import { createTempFolder, type ManagedProcess } from "@bowline/test-services";

import { metricsInstances, monitorResources } from "../objects/kinds.ts";
import { collectorImage } from "./collector-image.ts";
import { DiscoveryStandIn } from "./discovery-stand-in.ts";
import { documentedRights } from "./documented-rights.ts";
import { OperatorBench } from "./operator-bench.ts";
import { startOperatorProcess } from "./operator-process.ts";
import { Receiver } from "./receiver.ts";

/** For agents. */
export const liveImage = "localhost/prometheus-stand-in:1";

/** The pod of the collector of the agent `default/main`. */
const collector = { namespace: "default", name: "metrics-main-shard-0-0" };

const listed = [
  resources.namespaces,
  resources.pods,
  resources.secrets,
  resources.configMaps,
  resources.services,
  resources.statefulSets,
  metricsInstances,
  ...monitorResources,
];

/** A cluster with pods, `bowline operator` as a process of its own, and a Prometheus that collectors write to. */
export class LiveStage implements AsyncDisposable {
  readonly cluster: Cluster;
  /** To write and read as an administrator; its operator does not run. */
  readonly bench: OperatorBench;
  readonly receiver: Receiver;
  readonly discovery: DiscoveryStandIn;
  readonly operator: ManagedProcess;
  readonly #owned: AsyncDisposableStack;
  #nudges = 0;

  private constructor(
    parts: Pick<LiveStage, "cluster" | "bench" | "receiver" | "discovery" | "operator">,
    owned: AsyncDisposableStack,
  ) {
    this.cluster = parts.cluster;
    this.bench = parts.bench;
    this.receiver = parts.receiver;
    this.discovery = parts.discovery;
    this.operator = parts.operator;
    this.#owned = owned;
  }

  static async open(prometheus: string): Promise<LiveStage> {
    await using opening = new AsyncDisposableStack();
    const user = "operator";
    const cluster = opening.use(await startCluster({ users: [{ name: user }] }));
    const receiver = opening.use(await Receiver.start(prometheus, cluster.hostAddress));
    const bench = opening.use(
      await OperatorBench.open({ kubeconfig: cluster.kubeconfigPath, runsOperator: false }),
    );
    await bench.apply(...(await documentedRights(user)));
    const discovery = opening.use(await DiscoveryStandIn.start(bench.client, cluster.hostAddress));
    const { configUrl } = discovery;
    await cluster.importImage(await collectorImage({ name: liveImage, prometheus, configUrl }));
    const folder = opening.use(await createTempFolder("operator"));
    const kubeconfig = join(folder.path, "kubeconfig");
    await writeFile(kubeconfig, cluster.kubeconfig(user), { mode: 0o600 });
    const operator = opening.use(await startOperatorProcess(kubeconfig));
    return new LiveStage({ cluster, bench, receiver, discovery, operator }, opening.move());
  }

  /** The samples that were written last: the labels of each series and its `value`. */
  async series(query: string): Promise<Record<string, string>[]> {
    await this.#nudgeKubelet();
    return this.receiver.series(query);
  }

  /** The objects of the cluster: `Secret default/login <uid>`. */
  async objects(): Promise<string[]> {
    const lists = await Promise.all(
      listed.map(async (resource) => {
        const { items } = await this.bench.client.list(resource);
        return items.map(({ metadata }: KubeObject) => {
          const { namespace = "", name, uid } = metadata;
          return `${resource.kind} ${namespace}/${name} ${uid}`;
        });
      }),
    );
    return lists.flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }

  /** Kubelet looks at mounted Secrets once a minute, and whenever the pod changes; there may be none. */
  async #nudgeKubelet(): Promise<void> {
    const annotations = { nudge: String(++this.#nudges) };
    const patch = { metadata: { annotations } };
    await this.bench.client.patch(resources.pods, patch, { type: "merge", ...collector }).catch(() => {});
  }
}
