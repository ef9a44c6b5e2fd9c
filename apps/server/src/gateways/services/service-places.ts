import { Gateway, WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import type { LabelRequirement } from "@bowline/core";
import type { ObjectStore } from "@bowline/store";

import { findObjects } from "../../workloads/find-objects.ts";
import { madeForGateways } from "../entry.ts";
import { serviceLabel, serviceName, serviceOf, type SupportService } from "./support-service.ts";

/** Which services of ours are in clusters, and what they are there for. */
export class ServicePlaces {
  readonly #objects: ObjectStore;

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** By name; the definition of its namespace is the first thing of a service to come and the last to go. */
  async servicesIn(cluster: string): Promise<Map<string, SupportService>> {
    const labels = made(serviceLabel, cluster);
    const found = [
      ...(await findObjects(this.#objects, WorkloadDefinition, { labels })),
      ...(await findObjects(this.#objects, WorkloadInstance, { labels })),
    ];
    const services = found.flatMap(({ metadata }) => serviceOf(cluster, metadata.annotations) ?? []);
    return new Map(services.map((service) => [serviceName(service), service]));
  }

  /** The Gateways that say in their status that they need it. */
  async needersOf(service: SupportService): Promise<Gateway[]> {
    const { cluster } = service;
    const name = serviceName(service);
    const all = await findObjects(this.#objects, Gateway, { fields: `status.clusters.cluster=${cluster}` });
    return all.filter(({ status }) =>
      status.clusters.some((each) => each.cluster === cluster && each.services?.includes(name)),
    );
  }

  /** An entry that is still there needs what serves its class, also to be removed itself. */
  async hasEntry({ cluster, type, class: className }: SupportService): Promise<boolean> {
    if (type !== "implementation") return false;
    const entries = await findObjects(this.#objects, WorkloadDefinition, { labels: made("entry", cluster) });
    return entries.some(({ metadata }) => metadata.annotations["bowline.dev/class"] === className);
  }
}

function made(as: string, cluster: string): LabelRequirement[] {
  return [
    { key: madeForGateways, operator: "in", values: [as] },
    { key: "bowline.dev/cluster", operator: "in", values: [cluster] },
  ];
}
