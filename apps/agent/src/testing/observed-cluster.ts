import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { workloadDefinition } from "@bowline/api";
import { systemClock, type Clock, type Random } from "@bowline/core";
import { connect, KubeClient, loadKubeconfig } from "@bowline/kube";
import { startKubesim, type Kubesim, type KubesimOptions, type SimObject } from "@bowline/kubesim";
import { onTestFinished } from "vitest";

import { Router } from "../observe/router.ts";
import type { ObservedEvent, ObservedObject, ReportItem } from "../report/report-item.ts";
import { ReportQueue, type ReportQueueLimits } from "../report/report-queue.ts";
import { newReportCounts } from "../report/report-sender.ts";
import { WorkloadObserver } from "../workloads/workload-observer.ts";
import { silentLogger } from "./session-fixture.ts";

const workloads = "workloads.bowline.dev";

/** A resource as a Workload names it: `apps/Deployment shop/web`, `/Namespace shop`. */
function named(text: string): object {
  const [key = "", place = ""] = text.split(" ");
  const slash = key.lastIndexOf("/");
  const parts = place.split("/");
  const name = parts.at(-1) ?? "";
  const namespace = parts.length > 1 ? { namespace: parts[0] } : {};
  return { group: key.slice(0, slash), version: "v1", kind: key.slice(slash + 1), ...namespace, name };
}

/** A simulated cluster that has the definition of Workloads. */
export class ObservedCluster {
  readonly sim: Kubesim;
  readonly client: KubeClient;

  static async start(options: KubesimOptions = {}): Promise<ObservedCluster> {
    const sim = await startKubesim({ tls: false, controllers: false, ...options });
    onTestFinished(() => sim.stop());
    const cluster = new ObservedCluster(sim, await clientOf(sim));
    sim.api.create("customresourcedefinitions.apiextensions.k8s.io", { ...workloadDefinition() });
    await cluster.served("/apis/bowline.dev/v1alpha1/workloads");
    return cluster;
  }

  private constructor(sim: Kubesim, client: KubeClient) {
    this.sim = sim;
    this.client = client;
  }

  /** Resolves when a path is answered: definitions take effect a moment later. */
  async served(path: string): Promise<void> {
    for (;;) {
      const headers = { authorization: `Bearer ${this.sim.adminToken}` };
      if ((await fetch(this.sim.url + path, { headers })).ok) return;
    }
  }

  setWorkload(name: string, ...resources: string[]): SimObject {
    const spec = {
      instanceId: `id-of-${name}`,
      revision: "r1",
      resources: resources.map((each) => named(each)),
    };
    const before = this.sim.api.get(workloads, undefined, name);
    const body = { apiVersion: "bowline.dev/v1alpha1", kind: "Workload", spec };
    return before === undefined
      ? this.sim.api.create(workloads, { ...body, metadata: { name } })
      : this.sim.api.update(workloads, { ...before, ...body });
  }

  removeWorkload(name: string): void {
    this.sim.api.delete(workloads, undefined, name);
  }

  /** Any object; what it lacks is made up. */
  create(resource: string, object: object, metadata: { readonly name: string } & object): SimObject {
    const whole = {
      apiVersion: "v1",
      kind: "ConfigMap",
      ...object,
      metadata: { namespace: "default", ...metadata },
    };
    return this.sim.api.create(resource, whole);
  }

  /** Observes until the test ends, or it is stopped. */
  observe(
    options: {
      readonly limits?: ReportQueueLimits;
      readonly clock?: Clock;
      readonly client?: KubeClient;
      readonly random?: Random;
    } = {},
  ): Observation {
    const observation = new Observation({ client: this.client, ...options });
    onTestFinished(() => observation.stop());
    return observation;
  }
}

export async function clientOf(sim: Kubesim, user?: { name: string; token: string }): Promise<KubeClient> {
  const folder = await mkdtemp(join(tmpdir(), "bowline-agent-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "kubeconfig");
  await writeFile(path, sim.kubeconfig(user));
  const transport = connect(await loadKubeconfig({ paths: [path] }));
  onTestFinished(() => transport.close());
  return new KubeClient(transport);
}

/** An observer, and what it has put into the queue so far. */
export class Observation {
  readonly observer: WorkloadObserver;
  readonly router: Router;
  readonly queue: ReportQueue;
  readonly counts = newReportCounts();
  readonly items: ReportItem[] = [];
  readonly #stop = new AbortController();
  isComplete = false;

  constructor({
    client,
    limits,
    clock = systemClock,
    random = Math.random,
  }: {
    client: KubeClient;
    limits?: ReportQueueLimits;
    clock?: Clock;
    random?: Random;
  }) {
    this.queue = new ReportQueue(limits);
    this.queue.onItems = () => setImmediate(() => this.#take());
    const shared = { client, clock, random, logger: silentLogger, signal: this.#stop.signal };
    this.router = new Router({ ...shared, observesSecrets: true });
    this.observer = new WorkloadObserver({
      ...shared,
      router: this.router,
      queue: this.queue,
      counts: this.counts,
    });
  }

  /** Leaves everything in the queue, as if the server were away. */
  isAway = false;

  back(): void {
    this.isAway = false;
    this.#take();
  }

  #take(): void {
    while (!this.isAway) {
      const taken = this.queue.take({ maxItems: 1000, maxBytes: 1e9 });
      if (taken === undefined) return;
      if (taken.kind === "complete") this.isComplete = true;
      else this.items.push(...taken.items.map(({ item }) => item));
    }
  }

  get objects(): ObservedObject[] {
    return this.items.flatMap(({ item }) => (item?.case === "object" ? [item.value] : []));
  }

  get events(): ObservedEvent[] {
    return this.items.flatMap(({ item }) => (item?.case === "event" ? [item.value] : []));
  }

  /** Names of objects that are gone. */
  get gone(): string[] {
    return this.items.flatMap(({ item }) => (item?.case === "gone" ? [item.value.ref?.name ?? ""] : []));
  }

  /** The objects as they were last told, as `Pod web-1 of shop`, those that are gone left out. */
  get state(): string[] {
    const latest = new Map<string, string>();
    for (const { item } of this.items) {
      if (item?.case === "object") {
        const { ref, workload } = item.value;
        latest.set(ref?.uid ?? "", `${ref?.kind} ${ref?.name} of ${workload}`);
      } else if (item?.case === "gone") latest.delete(item.value.ref?.uid ?? "");
    }
    return [...latest.values()].sort();
  }

  facts(name: string): Record<string, unknown> {
    const last = this.objects.findLast(({ ref }) => ref?.name === name);
    return JSON.parse(last?.facts ?? "{}");
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.observer.stop();
    await this.router.stop();
  }
}
