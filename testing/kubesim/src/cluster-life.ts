import type { Clock, Random } from "@bowline/core";

import type { ServiceAccountTokens } from "./auth/service-account-tokens.ts";
import { TokenController } from "./auth/token-controller.ts";
import {
  ControllerFailures,
  startControllers,
  WorkLoop,
  type ControllerError,
  type RunningControllers,
} from "./controllers/index.ts";
import {
  startNodes,
  type KubeletSettings,
  type RunningNodes,
  type SimNodeOptions,
  type SimNodes,
} from "./nodes/index.ts";
import type { ClusterStore } from "./store/cluster-store.ts";
import { CustomResourceController } from "./store/custom-resource-controller.ts";
import { GarbageCollector } from "./store/garbage-collector.ts";
import { NamespaceController } from "./store/namespace-controller.ts";
import { StorageProtection } from "./store/storage-protection.ts";

export interface LifeOptions {
  /**
   * Whether anything happens by itself: garbage collection, namespaces, workloads, scheduling. Off, the simulation is
   * an API server alone, as the real one is without its controller manager.
   */
  readonly controllers?: boolean;
  /** How many nodes there are at the start, or what each is like; none leaves pods unscheduled. */
  readonly nodes?: number | readonly SimNodeOptions[];
  /** How quickly pods start and stop on the simulated nodes. */
  readonly kubelet?: Partial<KubeletSettings>;
  /** How often each node renews its Lease; 0 turns it off. */
  readonly leasePeriodMs?: number;
  /**
   * Told when a controller or a node trips over an object. Without it `settled()` rejects with the first such error,
   * and so does `stop()` if nobody has seen it by then. The cluster goes on either way, and the object is tried again.
   */
  readonly onError?: (error: ControllerError) => void;
}

export interface LifeParts extends LifeOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly tokens: ServiceAccountTokens;
  readonly rootCertificate: string;
  readonly kubeletVersion: string;
}

/** Everything in a cluster that acts by itself. */
export interface ClusterLife {
  readonly nodes: SimNodes | undefined;
  /** Workload controllers and nodes begin to act; what follows writes has been acting since the start. */
  start(): void;
  settled(): Promise<void>;
  stop(): void;
  /** Throws what went wrong and was not told yet. */
  throwUntold(): void;
}

export function startLife(store: ClusterStore, parts: LifeParts): ClusterLife {
  const { clock, random } = parts;
  // The API server serves CustomResourceDefinitions itself; everything else is the controller manager's work.
  const customResources = new CustomResourceController(store, clock);
  if (parts.controllers === false) {
    return {
      nodes: undefined,
      start: () => undefined,
      settled: async () => undefined,
      stop: () => customResources.stop(),
      throwUntold: () => undefined,
    };
  }
  const followers = [
    customResources,
    new GarbageCollector(store),
    new NamespaceController(store, { rootCertificate: parts.rootCertificate }),
    new StorageProtection(store),
    new TokenController(store, parts.tokens, parts.rootCertificate),
  ];
  const failures = new ControllerFailures(parts.onError);
  const loop = new WorkLoop({
    clock,
    onError: (error, queue, key) => failures.report(error, queue, key),
  });
  let controllers: RunningControllers | undefined;
  let machines: RunningNodes | undefined;
  return {
    get nodes() {
      return machines?.nodes;
    },
    start: () => {
      controllers = startControllers(store, { clock, random, loop });
      machines = startNodes(store, {
        ...parts.kubelet,
        clock,
        random,
        loop,
        nodes: parts.nodes ?? 0,
        kubeletVersion: parts.kubeletVersion,
        ...(parts.leasePeriodMs === undefined ? {} : { leasePeriodMs: parts.leasePeriodMs }),
      });
    },
    settled: async () => {
      await loop.settled();
      failures.throwFirst();
    },
    stop: () => {
      controllers?.stop();
      machines?.stop();
      loop.stop();
      for (const follower of followers) follower.stop();
    },
    throwUntold: () => failures.throwUntold(),
  };
}
