import { BowlineError, withDeadline, type Clock } from "@bowline/core";
import { Discovery, resources, type KubeClient } from "@bowline/kube";

/** Facts that tell a cluster apart from others, and which version it runs. */
export interface ClusterFacts {
  /** The UID of the namespace `kube-system`, which lives as long as its cluster. */
  readonly clusterUid: string;
  /** Such as `v1.36.0`. */
  readonly kubernetesVersion: string;
}

/** How long to ask before what was known has to do. */
const latestLimitMs = 5_000;

/** An agent that has just asked, at its start, need not ask again before it says hello. */
const freshMs = 1_000;

/** Asks the cluster about itself: it may be upgraded while the agent runs. */
export class ClusterFactsReader {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  #known: ClusterFacts | undefined;
  #readMs = 0;

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async read(signal: AbortSignal): Promise<ClusterFacts> {
    const [namespace, version] = await Promise.all([
      this.#client.getMetadata(resources.namespaces, { name: "kube-system", signal }),
      new Discovery(this.#client).serverVersion(),
    ]);
    const clusterUid = namespace.metadata.uid;
    if (clusterUid === undefined || clusterUid === "") {
      throw new BowlineError("NotKubernetes", "The namespace kube-system of the cluster has no UID.");
    }
    this.#known = { clusterUid, kubernetesVersion: version.gitVersion };
    this.#readMs = this.#clock.monotonicMs();
    return this.#known;
  }

  /** As `read`, but what was known a moment ago, or before when the cluster does not answer. */
  async latest(signal: AbortSignal): Promise<ClusterFacts> {
    const onTimeout = (): BowlineError =>
      new BowlineError("Timeout", "The API server does not answer in time.");
    if (this.#known !== undefined && this.#clock.monotonicMs() - this.#readMs < freshMs) return this.#known;
    try {
      return await withDeadline((limit) => this.read(limit), {
        clock: this.#clock,
        limitMs: latestLimitMs,
        signal,
        onTimeout,
      });
    } catch (error) {
      if (this.#known === undefined || signal.aborted) throw error;
      return this.#known;
    }
  }
}
