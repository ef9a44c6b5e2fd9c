import { Gateway, type Author, type Cluster, type WorkloadInstance } from "@bowline/api";
import type { Clock } from "@bowline/core";
import type { KubeClient } from "@bowline/kube";
import type { Store } from "@bowline/store";

import type { ClusterClients } from "../workloads/cluster-clients.ts";
import { findObjects } from "../workloads/find-objects.ts";
import { clusterKey } from "../workloads/engine-in-cluster.ts";
import {
  beingMade,
  missing,
  stopped,
  summarized,
  type CheckType,
  type ClusterStatus,
  type Finding,
} from "./check.ts";
import { readFacts, type ClusterFacts } from "./cluster-facts.ts";
import { statusIn, stoppedAfter } from "./cluster-status.ts";
import type { Entries, EntryFacts, EntryShare } from "./entries.ts";
import type { EntryHost } from "./entry-objects.ts";
import { entryName, madeForGateways, routesName, type Entry } from "./entry.ts";
import type { GatewayTask } from "./gateway-reconciler.ts";
import { judgeCertificates } from "./judge-certificate.ts";
import { entryAddresses, judgeClass, judgeListeners, judgeRoom } from "./judge-entry.ts";
import { judgeOutside, type OutsideTools } from "./judge-outside.ts";
import { judgeRoute } from "./judge-route.ts";
import type { OtherRoutes } from "./other-routes.ts";
import type { OwnedWorkloads } from "./owned-workloads.ts";
import { pendingOf, readCertificates, readEntry, readRoute, type ReadOptions } from "./read-cluster.ts";
import { routeObjects, routeParents } from "./route-objects.ts";
import { routedHosts } from "./routed-hosts.ts";
import { keepSelfMade, removeOtherSecrets } from "./self-made-secrets.ts";
import type { GatewayServices, KeptServices } from "./services/gateway-services.ts";

export interface InClusterOptions {
  readonly store: Pick<Store, "objects">;
  readonly clients: ClusterClients;
  readonly clock: Clock;
  readonly outside: OutsideTools;
  readonly entries: Entries;
  readonly workloads: OwnedWorkloads;
  readonly services: GatewayServices;
  readonly otherRoutes: OtherRoutes;
}

export interface InClusterWork {
  readonly gateway: Gateway;
  readonly cluster: Cluster;
  readonly instance: WorkloadInstance;
  readonly task: GatewayTask;
  /** For this cluster alone. */
  readonly signal: AbortSignal;
}

/** Keeps one Gateway in one cluster, and tells how far it is there. */
export class GatewayInCluster {
  readonly #options: InClusterOptions;

  constructor(options: InClusterOptions) {
    this.#options = options;
  }

  async keep(work: InClusterWork): Promise<ClusterStatus> {
    const { gateway, cluster } = work;
    const { name } = cluster.metadata;
    const { author } = gateway.status;
    const client = await this.#clientFor(author, name);
    if (author === undefined || client === undefined) {
      const before = statusIn(gateway.status, name);
      const kept = before?.services === undefined ? {} : { services: before.services };
      return { ...stoppedAfter(before, name, missing("NotGranted", notGranted(author, name))), ...kept };
    }
    try {
      const facts = await this.#facts(work, client);
      const services = await this.#options.services.keep({ ...work, facts }, name);
      return { ...(await this.#keepAs(work, { author, client, services })), ...services.field };
    } finally {
      await client.transport.close();
    }
  }

  /** Writes the entries of a cluster anew after a Gateway has left them. Resolves to whether all that go are gone. */
  async settleAfter(gateway: Gateway, cluster: string, task: GatewayTask): Promise<boolean> {
    const { author, deletedBy } = gateway.status;
    const by = { author: deletedBy ?? author, fence: task.fence };
    // Those that stay are written by the Gateways that stay; what nobody uses any more needs no facts to go.
    return this.#options.entries.settle(cluster, undefined, by);
  }

  async #keepAs(
    work: InClusterWork,
    {
      author,
      client,
      services,
    }: { readonly author: Author; readonly client: KubeClient; readonly services: KeptServices },
  ): Promise<ClusterStatus> {
    const { gateway, cluster, task } = work;
    const { name } = cluster.metadata;
    const { facts, implementation, externalDns } = services;
    const before = statusIn(gateway.status, name);
    if ("message" in facts)
      return stoppedAfter(before, name, implementation ?? missing("ClassMissing", facts.message));
    const { chosen } = facts;
    const judged = judgeClass(chosen, name);
    const classFinding = judged.status === "True" ? judged : (implementation ?? judged);
    if ("message" in chosen) return stoppedAfter(before, name, classFinding);
    const { visibility } = gateway.spec;
    const entry: Entry = { cluster: name, class: chosen.name, visibility };
    // Before the entry is written, so that whoever writes it next knows of this one.
    await task.writeStatus((status) => joined(status, entry));
    await this.#options.entries.settle(name, facts, { author, fence: task.fence }, entry);
    const share = await this.#options.entries.shareOf(entry, gateway, facts);
    const entryClient = await this.#clientFor(share.author, name);
    if (entryClient === undefined) {
      const finding = missing("NotGranted", notGranted(share.author, name));
      return { ...stoppedAfter(before, name, finding), class: entry.class };
    }
    try {
      const options = await this.#applied(work, { author, entry, facts, client, entryClient, share });
      const controller = chosen.controller;
      return await this.#judge(work, options, { author, classFinding, controller, externalDns, share });
    } finally {
      await entryClient.transport.close();
    }
  }

  async #facts({ gateway, cluster, signal }: InClusterWork, client: KubeClient): Promise<ClusterFacts> {
    const { name } = cluster.metadata;
    return readFacts({
      cluster: name,
      wantedClass: gateway.spec.class,
      usedClass: statusIn(gateway.status, name)?.class,
      expectsCertManager: await this.#options.services.expectsCertManager(name),
      client,
      discovery: this.#options.clients.discovery(name, clusterKey(cluster)),
      signal,
    });
  }

  /** Writes the routes, once it is known where the listeners are that they belong to. */
  async #applied(
    { gateway, cluster, instance, task, signal }: InClusterWork,
    parts: Pick<ReadOptions, "client" | "entryClient" | "entry"> & {
      readonly author: Author;
      readonly facts: EntryFacts;
      readonly share: EntryShare;
    },
  ): Promise<ReadOptions> {
    const { author, entry, facts, client, entryClient, share } = parts;
    const { name } = gateway.metadata;
    const { workloads } = this.#options;
    const { places } = share;
    const { namespace } = instance.spec;
    const { spec } = gateway;
    const route = { name, spec, namespace, entry, apis: facts.apis, places };
    const routes = routesName(name, cluster.metadata.name);
    const { seen } = await workloads.read(routes);
    const workload = {
      name: routes,
      cluster: cluster.metadata.name,
      labels: { [madeForGateways]: "routes", "bowline.dev/gateway": name },
      namespace,
      objects: routeObjects({ ...route, spec: { ...spec, hosts: routedHosts(gateway) } }),
      author,
    };
    await workloads.write(workload, { seen, fence: task.fence });
    return { ...route, facts, client, entryClient, signal };
  }

  async #judge(
    { gateway, cluster, task }: InClusterWork,
    options: ReadOptions,
    {
      author,
      classFinding,
      controller,
      externalDns,
      share,
    }: {
      readonly author: Author;
      readonly classFinding: Finding;
      readonly controller: string;
      /** What is not there yet of it. */
      readonly externalDns: Finding | undefined;
      readonly share: EntryShare;
    },
  ): Promise<ClusterStatus> {
    const { spec, metadata } = gateway;
    const { objects } = this.#options.store;
    const { entry } = options;
    const { name } = cluster.metadata;
    const nowMs = task.nowMs();
    const pending = await pendingOf(objects, { name: entryName(entry), cluster: name });
    const findings = new Map<CheckType, Finding>([["Class", classFinding]]);
    let notAfter: string | undefined;
    if (pending === undefined) await this.#keepSecrets(options, share);
    const room = judgeRoom(share.withoutRoom, { entry, hosts: share.hosts.length });
    // Whoever has no listener gets no certificate either.
    if (spec.tls.mode === "terminate" && room.status === "True") {
      const judged = judgeCertificates(await readCertificates(options), { entry, nowMs, pending });
      findings.set("Certificate", judged.finding);
      notAfter = judged.notAfter;
    }
    const seen = await readEntry(options, pending);
    findings.set("Listener", room.status === "True" ? judgeListeners(seen, spec) : room);
    const routePending = await pendingOf(objects, {
      name: routesName(metadata.name, name),
      cluster: name,
    });
    const addresses = entryAddresses(seen, spec);
    const { client, facts, signal } = options;
    const others = await this.#options.otherRoutes.find({
      cluster,
      author,
      client,
      signal,
      apis: facts.apis,
      spec,
      controller,
      parents: routeParents(options),
      addresses,
    });
    const route = await readRoute(options, { controller, pending: routePending, others });
    findings.set("Route", judgeRoute(route, spec, options.namespace));
    const outside = await judgeOutside(this.#options.outside, {
      spec,
      addresses,
      elsewhere: () => addressesElsewhere(objects, gateway, name),
      signal,
    });
    const isRecorded = outside.record.status === "True";
    findings.set("Record", isRecorded ? outside.record : (externalDns ?? outside.record));
    findings.set("Reachable", outside.reachable);
    return {
      ...summarized(name, findings),
      class: entry.class,
      addresses,
      ...(notAfter === undefined ? {} : { certificateNotAfter: notAfter }),
    };
  }

  /** Each Gateway its own, so that many of one entry do not all look after those of all. */
  async #keepSecrets(
    { entry, entryClient, signal }: ReadOptions,
    { own, isOldest }: EntryShare,
  ): Promise<void> {
    const nowMs = this.#options.clock.now();
    await keepSelfMade(entryClient, { entry, hosts: own, nowMs, signal });
    const hostsOf = (): Promise<readonly EntryHost[]> => this.#options.entries.hostsOf(entry);
    if (isOldest) await removeOtherSecrets(entryClient, { entry, hostsOf, signal });
  }

  /** Undefined when nobody in whose name this could be done may reach the cluster. */
  async #clientFor(author: Author | undefined, cluster: string): Promise<KubeClient | undefined> {
    const { clients } = this.#options;
    if (author === undefined) return undefined;
    const { user, method, groups } = author;
    const identity = await clients.identityOf({ user, method, groups: groups ?? [] });
    if (identity === undefined || !clients.isGranted(identity, cluster)) return undefined;
    return clients.actingAs(identity, cluster);
  }
}

/** Of the entries of this Gateway in other clusters, and of others that have the same hosts. */
async function addressesElsewhere(
  objects: Store["objects"],
  { metadata, spec }: Gateway,
  cluster: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const host of spec.hosts) {
    for (const { metadata: other, status } of await findObjects(objects, Gateway, {
      fields: `spec.hosts=${host}`,
    })) {
      const there = status.clusters.filter(
        (each) => other.name !== metadata.name || each.cluster !== cluster,
      );
      found.push(...there.flatMap((each) => each.addresses));
    }
  }
  return [...new Set(found)];
}

function joined(status: Gateway["status"], { cluster, class: className }: Entry): Gateway["status"] {
  const before = status.clusters.find((each) => each.cluster === cluster);
  if (before?.class === className) return status;
  const own: ClusterStatus = {
    ...(before ?? stopped(cluster, beingMade)),
    class: className,
  };
  return { ...status, clusters: [...status.clusters.filter((each) => each !== before), own] };
}

function notGranted(author: Author | undefined, cluster: string): string {
  const who = author === undefined ? "Nobody who wrote it is known, so nobody" : `User "${author.user}"`;
  return `${who} has no AccessGrant for cluster ${cluster}, so nothing can be made there.`;
}
