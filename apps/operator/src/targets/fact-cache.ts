import type { BowlineError, Clock, Random } from "@bowline/core";
import {
  resources,
  ValueInterner,
  type FieldMask,
  type InformerOptions,
  type ResourceRef,
  type Transport,
} from "@bowline/kube";
import {
  endpointsFacts,
  endpointSliceFacts,
  ingressFacts,
  podFacts,
  serviceFacts,
  type ClusterFacts,
  type EndpointsFacts,
  type FactKind,
  type IngressFacts,
  type PodFacts,
  type ServiceFacts,
} from "@bowline/monitoring";
import type { ManagedInformer } from "@bowline/runtime";

import { scopedInformer } from "../watch/scoped-informer.ts";
import { OnDemandInformer } from "./on-demand-informer.ts";

interface FactCacheOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly onError: (error: BowlineError) => void;
  /** Where to look; all of the cluster without it. */
  readonly namespaces?: readonly string[] | undefined;
}

const labels: FieldMask = { labels: true };
const target: FieldMask = { kind: true, name: true };
const address: FieldMask = { ip: true, targetRef: target };
const port: FieldMask = { name: true, port: true };
const container: FieldMask = { ports: { name: true, containerPort: true } };

const endpointsFields: FieldMask = {
  subsets: { addresses: address, notReadyAddresses: address, ports: port },
};
const sliceFields: FieldMask = {
  metadata: labels,
  endpoints: { addresses: true, targetRef: target },
  ports: port,
};
const podFields: FieldMask = {
  metadata: labels,
  spec: { containers: container, initContainers: container },
  status: { phase: true, podIP: true },
};
const ingressFields: FieldMask = {
  metadata: labels,
  spec: { rules: { host: true, http: { paths: { path: true } } } },
};

/** A cluster that can be counted in, as far as it has been read. */
export type WatchedFacts = {
  readonly [Kind in FactKind]: ClusterFacts[Kind] & Pick<OnDemandInformer<unknown>, "resource" | "state">;
} & Pick<FactCache, "demand" | "onChange">;

/**
 * The records that the targets of jobs are counted from. A cluster has tens of thousands of these objects, so a kind is watched
 * only while a job asks for it, and of each object only what counting takes is decoded and kept.
 */
export class FactCache implements ClusterFacts, ManagedInformer {
  readonly services: OnDemandInformer<ServiceFacts>;
  readonly endpoints: OnDemandInformer<EndpointsFacts>;
  readonly endpointSlices: OnDemandInformer<EndpointsFacts>;
  readonly pods: OnDemandInformer<PodFacts>;
  readonly ingresses: OnDemandInformer<IngressFacts>;
  readonly #options: FactCacheOptions & { readonly interner: ValueInterner };
  readonly #demands = new Map<string, ReadonlySet<FactKind>>();
  readonly #listeners = new Set<(kind: FactKind) => void>();
  #isStopped = false;

  constructor(options: FactCacheOptions) {
    // Its own: thousands of addresses would push out what the monitors have in common.
    this.#options = { ...options, interner: new ValueInterner() };
    this.services = this.#kept("services", resources.services, { project: serviceFacts, metadataOnly: true });
    this.endpoints = this.#kept("endpoints", resources.endpoints, {
      project: endpointsFacts,
      fields: endpointsFields,
    });
    this.endpointSlices = this.#kept("endpointSlices", resources.endpointSlices, {
      project: endpointSliceFacts,
      fields: sliceFields,
    });
    this.pods = this.#kept("pods", resources.pods, { project: podFacts, fields: podFields });
    this.ingresses = this.#kept("ingresses", resources.ingresses, {
      project: ingressFacts,
      fields: ingressFields,
    });
  }

  /** The kinds that a consumer needs from now on, in place of those it needed before. */
  demand(consumer: string, kinds: ReadonlySet<FactKind>): void {
    if (kinds.size === 0) this.#demands.delete(consumer);
    else this.#demands.set(consumer, kinds);
    if (this.#isStopped) return;
    const wanted = new Set([...this.#demands.values()].flatMap((each) => [...each]));
    for (const [kind, informer] of this.#informers()) {
      if (wanted.has(kind)) informer.want();
      else informer.leave();
    }
  }

  /** Tells of each change, by its kind, until it is called. */
  onChange(listener: (kind: FactKind) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Nothing is read before somebody needs it. */
  start(): void {}

  async synced(): Promise<void> {}

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#informers().map(([, informer]) => informer.stop()));
  }

  #informers(): [FactKind, OnDemandInformer<unknown>][] {
    const { services, endpoints, endpointSlices, pods, ingresses } = this;
    return [
      ["services", services],
      ["endpoints", endpoints],
      ["endpointSlices", endpointSlices],
      ["pods", pods],
      ["ingresses", ingresses],
    ];
  }

  #kept<T>(
    kind: FactKind,
    resource: ResourceRef,
    options: Pick<InformerOptions<T>, "project" | "fields" | "metadataOnly">,
  ): OnDemandInformer<T> {
    return new OnDemandInformer({
      resource,
      create: () => scopedInformer({ ...this.#options, ...options, resource }, this.#options.namespaces),
      onChange: () => {
        for (const listener of this.#listeners) listener(kind);
      },
    });
  }
}
