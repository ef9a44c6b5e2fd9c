import { BowlineError, systemClock, type DeepReadonly } from "@bowline/core";
import type { Informer, KubeClient } from "@bowline/kube";
import {
  Controller,
  done,
  informerSource,
  Manager,
  requeueAfter,
  type ReconcileResult,
} from "@bowline/runtime";

import { cacheOf } from "../controller/cluster-cache.ts";
import { gatewayResources, type Gateway, type HttpRoute } from "../model/gateway-kinds.ts";
import { nameOf } from "../model/snapshot.ts";
import { zoneRecords, type DnsServer } from "./dns-server.ts";
import { updateRecords } from "./dns-update.ts";
import { planRecords, type WantedHost } from "./record-plan.ts";

export interface FakeExternalDnsOptions {
  readonly client: KubeClient;
  readonly server: DnsServer;
  /** Told apart from others who write into the same zone. */
  readonly owner: string;
  readonly domains: readonly string[];
  /** How often the zone is looked at although nothing has changed in the cluster. */
  readonly intervalMs?: number;
  readonly onError?: (error: BowlineError) => void;
}

const everything = "everything";

/** Does what external-dns does with policy `sync`: hosts of accepted routes lead to the addresses of their Gateways. */
export class FakeExternalDns implements AsyncDisposable {
  readonly #options: FakeExternalDnsOptions;
  readonly #gateways: Informer<Gateway>;
  readonly #routes: Informer<HttpRoute>;
  readonly #controller: Controller;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  static start(options: FakeExternalDnsOptions): FakeExternalDns {
    const dns = new FakeExternalDns(options);
    dns.#running = dns.#run();
    return dns;
  }

  private constructor(options: FakeExternalDnsOptions) {
    const { client, onError = () => undefined } = options;
    this.#options = options;
    this.#gateways = cacheOf(client, gatewayResources.gateways, onError);
    this.#routes = cacheOf(client, gatewayResources.httpRoutes, onError);
    this.#controller = new Controller({
      name: "dns",
      reconciler: { reconcile: () => this.#reconcile() },
      clock: systemClock,
      random: Math.random,
      onDeadLetter: ({ message }) => onError(new BowlineError("Internal", message)),
      onReconciled: ({ outcome }) => {
        if (outcome.kind === "failed") onError(BowlineError.from(outcome.error));
      },
    });
  }

  /** Resolves when nothing of it is open any more; its records stay, as those of a real one would. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(): Promise<void> {
    const manager = new Manager({ name: "external-dns", clock: systemClock, random: Math.random });
    const informers = [this.#gateways, this.#routes];
    for (const informer of informers) manager.addInformer(informer.resource.plural, informer);
    manager.addController(this.#controller, {
      sources: informers.map((informer) => informerSource<unknown>(informer, () => [everything])),
    });
    await manager.run(this.#stop.signal);
  }

  async #reconcile(): Promise<ReconcileResult> {
    const { server, owner, intervalMs } = this.#options;
    const wanted = wantedHosts(this.#routes.list(), this.#gateways.list());
    for (const change of planRecords(wanted, await zoneRecords(server), this.#options))
      await updateRecords(server, change, owner);
    return intervalMs === undefined ? done : requeueAfter(intervalMs);
  }
}

/** The hosts of routes, each with the addresses of all Gateways that have accepted it. */
function wantedHosts(
  routes: readonly DeepReadonly<HttpRoute>[],
  gateways: readonly DeepReadonly<Gateway>[],
): WantedHost[] {
  const targets = new Map<string, Set<string>>();
  for (const { metadata, spec, status } of routes) {
    const parents = (status?.parents ?? []).filter(({ conditions }) =>
      conditions.some(({ type, status: is }) => type === "Accepted" && is === "True"),
    );
    const accepting = new Set(
      parents.map(({ parentRef }) => `${parentRef.namespace ?? metadata.namespace}/${parentRef.name}`),
    );
    const addresses = gateways
      .filter((gateway) => accepting.has(nameOf(gateway)))
      .flatMap((gateway) => (gateway.status?.addresses ?? []).map(({ value }) => value));
    for (const host of spec.hostnames ?? [])
      targets.set(host, new Set([...(targets.get(host) ?? []), ...addresses]));
  }
  return [...targets].map(([host, addresses]) => ({ host, targets: [...addresses] }));
}
