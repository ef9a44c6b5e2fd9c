import { Cluster } from "@bowline/api";
import { createLogger, systemClock } from "@bowline/core";
import { healthFacts } from "@bowline/health";
import { appliedDigest, resources, type KubeObject, type ResourceRef } from "@bowline/kube";
import type { ReportedResource } from "@bowline/store";
import { items } from "@bowline/store/testing";
import { fieldManager, instanceLabel } from "@bowline/workloads";
import { onTestFinished } from "vitest";

import { ReportHealth } from "../../reports/report-health.ts";
import type { TestCluster, WorkloadHarness } from "./workload-harness.ts";

const jobs: ResourceRef = {
  group: "batch",
  version: "v1",
  kind: "Job",
  plural: "jobs",
  namespaced: true,
};
const watched: readonly ResourceRef[] = [resources.configMaps, jobs];

/** An agent that tells what there is of the instance `web` whenever it is asked to, and the part of the server that listens. */
export class ReportingAgent {
  readonly #harness: WorkloadHarness;
  readonly #cluster: TestCluster;
  readonly #health: ReportHealth;
  readonly #clusterId: string;
  #sequence = 0;
  #told = new Set<string>();

  static async start(harness: WorkloadHarness, cluster: TestCluster): Promise<ReportingAgent> {
    const { store } = harness;
    const found = await store.objects.get(Cluster, cluster.name);
    const logger = createLogger({ name: "test", level: "silent" });
    const health = new ReportHealth({ store, clock: systemClock, random: Math.random, logger });
    await health.start();
    onTestFinished(() => health.close());
    const agent = new ReportingAgent(harness, cluster, { health, clusterId: found?.metadata.id ?? "" });
    await store.reports.begin(agent.#key);
    return agent;
  }

  private constructor(
    harness: WorkloadHarness,
    cluster: TestCluster,
    { health, clusterId }: { readonly health: ReportHealth; readonly clusterId: string },
  ) {
    this.#harness = harness;
    this.#cluster = cluster;
    this.#health = health;
    this.#clusterId = clusterId;
  }

  get #key() {
    return { clusterId: this.#clusterId, epoch: 1, instance: "pod-1" };
  }

  /** Tells everything. */
  async report(): Promise<void> {
    const { reports } = this.#harness.store;
    const objects = await this.#observed();
    const uids = new Set(objects.map(({ uid }) => uid));
    const gone = [...this.#told].filter((uid) => !uids.has(uid)).map((uid) => ({ gone: uid }));
    this.#told = uids;
    this.#sequence += 1;
    await reports.store({ key: this.#key, sequence: this.#sequence, items: items(...objects, ...gone) });
    this.#sequence += 1;
    await reports.complete(this.#key, this.#sequence);
    this.#tell();
  }

  /** Tells of every object that somebody has changed it, and has changed it again, so many times. */
  async storm(rounds: number): Promise<number> {
    const { reports } = this.#harness.store;
    const observed = await this.#observed();
    for (let round = 1; round <= rounds; round += 1) {
      const objects = observed.map((object) => ({
        ...object,
        resourceVersion: String(1_000_000 + round),
        applied: `changed-${round}`,
      }));
      this.#sequence += 1;
      await reports.store({ key: this.#key, sequence: this.#sequence, items: items(...objects) });
      this.#tell();
    }
    return rounds * observed.length;
  }

  #tell(): void {
    this.#health.changed({ name: this.#cluster.name }, new Set(["web"]));
  }

  async #observed(): Promise<ReportedResource[]> {
    const found = await Promise.all(
      watched.map(async (resource) => {
        const { items: listed } = await this.#cluster.client.list(resource, { namespace: "default" });
        return listed
          .filter(({ metadata }) => metadata.labels?.[instanceLabel] === "web")
          .map((object) => reported(resource, object));
      }),
    );
    return found.flat();
  }
}

function reported({ group, version, kind }: ResourceRef, object: KubeObject): ReportedResource {
  const { uid = "", namespace = "", name = "", resourceVersion = "" } = object.metadata;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return {
    uid,
    group,
    version,
    kind,
    namespace,
    name,
    resourceVersion,
    workload: "web",
    facts: JSON.stringify(healthFacts({ ...object, apiVersion, kind })),
    applied: appliedDigest(object, fieldManager),
    observedAtMs: Date.now(),
  };
}
