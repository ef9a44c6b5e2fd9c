import { Cluster, type Gateway } from "@bowline/api";
import type { Clock } from "@bowline/core";
import type { Store } from "@bowline/store";

import { beingMade, stopped, type ClusterStatus, type Finding } from "../check.ts";
import type { ClusterFacts } from "../cluster-facts.ts";
import type { GatewayTask } from "../gateway-reconciler.ts";
import { isLedTo, type OutsideTools } from "../judge-outside.ts";
import { classOf, neededServices, servicesField, type ServicesField } from "./needed-services.ts";
import { serviceName, type SupportService } from "./support-service.ts";
import type { SupportServices } from "./support-services.ts";

export interface GatewayServicesOptions {
  readonly store: Pick<Store, "objects">;
  readonly clock: Clock;
  readonly outside: OutsideTools;
  readonly services: SupportServices;
}

/** A Gateway, and what its cluster has. */
export interface GatewayAndFacts {
  readonly gateway: Gateway;
  readonly facts: ClusterFacts;
  readonly task: GatewayTask;
  readonly signal: AbortSignal;
}

/** How far the services are that a Gateway needs in a cluster; what is ready is not told of. */
export interface KeptServices {
  readonly field: ServicesField;
  /** With what certificates wait for. */
  readonly facts: ClusterFacts;
  readonly implementation: Finding | undefined;
  readonly externalDns: Finding | undefined;
}

/** So long the hosts of a Gateway that goes are left to external-dns, to take their records away. */
const recordPatienceMs = 5 * 60_000;

/** The services of clusters, as one Gateway has to do with them. */
export class GatewayServices {
  readonly #options: GatewayServicesOptions;

  constructor(options: GatewayServicesOptions) {
    this.#options = options;
  }

  expectsCertManager(cluster: string): Promise<boolean> {
    return this.#options.services.expects({ cluster, type: "cert-manager" });
  }

  /** Before anything else of the Gateway is made, because the rest needs them. */
  async keep(input: GatewayAndFacts, cluster: string): Promise<KeptServices> {
    const { gateway, facts, task, signal } = input;
    const { services } = this.#options;
    const { fence } = task;
    const { defaultClass } = services;
    const needs = neededServices(gateway, { cluster, facts, defaultClass });
    const { ours, refused } = await services.choose(cluster, needs, signal);
    const field = servicesField(ours);
    // Before they are written, so that whoever removes what nobody needs knows of this one.
    await task.writeStatus((status) => needing(status, cluster, field));
    const { findings } = await services.settle(cluster, { fence, signal, needed: ours });
    const find = (service: SupportService): Finding | undefined => {
      const name = serviceName(service);
      return refused.get(name) ?? findings.get(name);
    };
    const className = classOf(gateway, { cluster, facts, defaultClass }) ?? "";
    return {
      field,
      facts: awaiting(facts, find({ cluster, type: "cert-manager" })),
      implementation: find({ cluster, type: "implementation", class: className }),
      externalDns: find({ cluster, type: "external-dns" }),
    };
  }

  /** Removes those that nobody needs after a Gateway has left them. Resolves to whether all of them are gone. */
  async settleAfter(cluster: string, { fence, signal }: GatewayTask): Promise<boolean> {
    const { isSettled } = await this.#options.services.settle(cluster, { fence, signal });
    return isSettled;
  }

  /**
   * Whether the routes of a Gateway that goes have left no records: external-dns takes them away only while it is there,
   * and only those in the domains that it is told of.
   */
  async isRecordGone({ metadata, spec, status }: Gateway, cluster: string): Promise<boolean> {
    const { outside, clock, store } = this.#options;
    const before = status.clusters.find((each) => each.cluster === cluster);
    const { services = [], addresses = [] } = before ?? {};
    const isOurs = services.includes(serviceName({ cluster, type: "external-dns" }));
    if (!isOurs || !outside.isOn || !spec.probe || metadata.deletedAt === undefined) return true;
    if (clock.now() - Date.parse(metadata.deletedAt) > recordPatienceMs) return true;
    const found = await store.objects.get(Cluster, cluster);
    if (found === undefined || found.metadata.deletedAt !== undefined) return true;
    return !(await isLedTo(outside, { hosts: spec.hosts, addresses }));
  }
}

function awaiting(facts: ClusterFacts, waitsFor: Finding | undefined): ClusterFacts {
  if (waitsFor === undefined || "message" in facts) return facts;
  return { ...facts, issuers: { names: [], isServed: false, ...facts.issuers, waitsFor } };
}

function needing(status: Gateway["status"], cluster: string, field: ServicesField): Gateway["status"] {
  const before = status.clusters.find((each) => each.cluster === cluster);
  if (before === undefined && field.services === undefined) return status;
  const { services: _, ...rest } = before ?? stopped(cluster, beingMade);
  const own: ClusterStatus = { ...rest, ...field };
  return {
    ...status,
    clusters:
      before === undefined
        ? [...status.clusters, own]
        : status.clusters.map((each) => (each === before ? own : each)),
  };
}
