import type { Random } from "@bowline/core";
import { ManualClock, seededRandom } from "@bowline/core/testing";

import { startNodes, type SimNodes, type StartNodesOptions } from "../../nodes/index.ts";
import { ClusterStore } from "../../store/cluster-store.ts";
import { GarbageCollector } from "../../store/garbage-collector.ts";
import { ObjectStore } from "../../store/object-store.ts";
import { ResourceRegistry } from "../../store/resource-registry.ts";
import { builtinResourceTypes } from "../../store/resource-types.ts";
import type { NewObject, SimObject } from "../../store/sim-api.ts";
import type { CronJob, Job } from "../kinds/batch.ts";
import type { CoreEvent } from "../kinds/event.ts";
import type { Node } from "../kinds/node.ts";
import type { Pod } from "../kinds/pod.ts";
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../kinds/workloads.ts";
import { startControllers, WorkLoop } from "../index.ts";

export interface SimClusterOptions extends Partial<Omit<StartNodesOptions, "clock" | "loop">> {
  readonly seed?: number;
  /** Told when a controller trips over an object; without it that fails the test. */
  readonly onError?: (error: unknown) => void;
}

/** A whole simulated cluster without HTTP, on a clock moved by hand: for tests of controllers and nodes. */
export class SimCluster implements Disposable {
  readonly clock = new ManualClock();
  readonly random: Random;
  readonly store: ClusterStore;
  readonly nodes: SimNodes;
  readonly #loop: WorkLoop;
  readonly #stops: (() => void)[];

  constructor(options: SimClusterOptions = {}) {
    this.random = options.random ?? seededRandom(options.seed ?? 1);
    this.store = new ClusterStore({
      objects: new ObjectStore(1000),
      registry: new ResourceRegistry(builtinResourceTypes(33)),
      clock: this.clock,
      identities: identities(this.random),
      minorVersion: 33,
    });
    for (const name of ["default", "kube-system"]) {
      this.store.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    this.#loop = new WorkLoop({ clock: this.clock, onError: options.onError ?? rethrow });
    const collector = new GarbageCollector(this.store);
    const parts = { clock: this.clock, random: this.random, loop: this.#loop };
    const controllers = startControllers(this.store, parts);
    const nodes = startNodes(this.store, { ...options, ...parts });
    this.nodes = nodes.nodes;
    this.#stops = [
      () => controllers.stop(),
      () => nodes.stop(),
      () => this.#loop.stop(),
      () => collector.stop(),
    ];
  }

  /** Lets everything happen that happens now. */
  async settled(): Promise<void> {
    // Garbage is collected in a turn of its own, and what it deletes sets the controllers going again.
    for (let turn = 0; turn < 3; turn++) {
      await this.#loop.settled();
      await this.clock.settle();
    }
  }

  /** Lets time pass, with everything that happens in it. */
  async pass(ms: number): Promise<void> {
    await this.settled();
    await this.clock.advance(ms);
    await this.settled();
  }

  apply(object: { apiVersion: string; kind: string } & Record<string, unknown>): SimObject {
    return this.store.create(resourceOf(object), withNamespace(object));
  }

  /** Changes an object by what a function makes of it. */
  change<T extends SimObject>(object: T, edit: (live: T) => T): T {
    const resource = resourceOf(object);
    const { namespace, name } = object.metadata;
    const live = this.store.get(resource, namespace, name) as T | undefined;
    if (live === undefined) throw new Error(`${resource} ${name} is gone`);
    return this.store.update(resource, edit(live)) as T;
  }

  pods(namespace = "default"): Pod[] {
    return this.store.list("pods", namespace) as Pod[];
  }

  pod(name: string, namespace = "default"): Pod {
    return this.#must("pods", namespace, name) as Pod;
  }

  node(name: string): Node {
    return this.#must("nodes", undefined, name);
  }

  deployment(name: string): Deployment {
    return this.#must("deployments.apps", "default", name) as Deployment;
  }

  replicaSets(): ReplicaSet[] {
    return this.store.list("replicasets.apps", "default") as ReplicaSet[];
  }

  statefulSet(name: string): StatefulSet {
    return this.#must("statefulsets.apps", "default", name) as StatefulSet;
  }

  daemonSet(name: string): DaemonSet {
    return this.#must("daemonsets.apps", "default", name) as DaemonSet;
  }

  job(name: string): Job {
    return this.#must("jobs.batch", "default", name) as Job;
  }

  jobs(): Job[] {
    return this.store.list("jobs.batch", "default") as Job[];
  }

  cronJob(name: string): CronJob {
    return this.#must("cronjobs.batch", "default", name) as CronJob;
  }

  /** What was said about an object, as `reason: message` with its count where it was said more than once. */
  events(about: { metadata: { name: string } }): string[] {
    return (this.store.list("events") as CoreEvent[])
      .filter((event) => event.involvedObject.name === about.metadata.name)
      .map((event) => {
        const count = event.series?.count ?? event.count ?? 1;
        return `${event.reason}: ${event.message}${count > 1 ? ` (x${count})` : ""}`;
      });
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
  }

  #must(resource: string, namespace: string | undefined, name: string): SimObject {
    const object = this.store.get(resource, namespace, name);
    if (object === undefined) throw new Error(`${resource} "${name}" not found`);
    return object;
  }
}

function rethrow(error: unknown): never {
  throw error;
}

const resources: Readonly<Record<string, string>> = {
  "apps/v1": "apps",
  "batch/v1": "batch",
  v1: "",
};

function resourceOf({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  const group = resources[apiVersion] ?? apiVersion.slice(0, apiVersion.indexOf("/"));
  const plural = `${kind.toLowerCase()}${kind.endsWith("Class") ? "es" : kind === "Endpoints" ? "" : "s"}`;
  return group === "" ? plural : `${plural}.${group}`;
}

function withNamespace(object: Record<string, unknown>): NewObject {
  const manifest = object as NewObject;
  return { ...manifest, metadata: { namespace: "default", ...manifest.metadata } };
}

function identities(random: Random): { uid(): string; nameSuffix(): string } {
  const letters = "bcdfghjklmnpqrstvwxz2456789";
  const hex = (length: number): string =>
    Math.floor(random() * 16 ** length)
      .toString(16)
      .padStart(length, "0");
  return {
    uid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    nameSuffix: () =>
      Array.from({ length: 5 }, () => letters[Math.floor(random() * letters.length)]).join(""),
  };
}
