import { Readable } from "node:stream";

import { systemClock, type Clock } from "@bowline/core";
import type { ManualClock } from "@bowline/core/testing";
import { connect, Discovery, KubeClient, type KubeResponse } from "@bowline/kube";
import { startKubesim, type Kubesim, type KubesimOptions } from "@bowline/kubesim";
import { parseManifests, revisionOf, type ManifestObject } from "@bowline/manifests";
import type { InventoryItem, InventoryKey } from "@bowline/store";
import { addPlaces, openTestStore } from "@bowline/store/testing";
import { onTestFinished } from "vitest";

import type { ReconcileResult } from "../object-result.ts";
import { WorkloadEngine, type ReconcileOptions } from "../workload-engine.ts";
import type { Workload, WorkloadPolicy } from "../workload.ts";
import { RecordingTransport } from "./recording-transport.ts";

const defaultPolicy: WorkloadPolicy = {
  prune: true,
  pruneLimit: { count: 10, percent: 25 },
  isPruneApproved: false,
  conflicts: "takeover",
  ignore: [],
};

type WorkloadChanges = Partial<Omit<Workload, "policy">> & { readonly policy?: Partial<WorkloadPolicy> };

/** A simulated cluster, an inventory on SQLite, and instances `web` and `api` in it. */
export async function startTestCluster(
  options: KubesimOptions = {},
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<TestCluster> {
  const sim = await startKubesim({ tls: false, ...options });
  onTestFinished(() => sim.stop());
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const { definitionId, east, web, api } = await addPlaces(store);
  const ids = new Map([
    ["web", web],
    ["api", api],
  ]);
  const places = { definitionId, clusterId: east, ids };
  const test = new TestCluster(sim, store, { ...places, clock });
  test.createNamespace("shop");
  return test;
}

interface Places {
  readonly definitionId: string;
  readonly clusterId: string;
  readonly ids: ReadonlyMap<string, string>;
  readonly clock: Clock;
}

type TestStore = Awaited<ReturnType<typeof openTestStore>>;

export class TestCluster {
  readonly sim: Kubesim;
  readonly store: TestStore;
  readonly transport: RecordingTransport;
  readonly client: KubeClient;
  readonly #places: Places;
  #discovery: Discovery;

  constructor(sim: Kubesim, store: TestStore, places: Places) {
    this.sim = sim;
    this.store = store;
    this.#places = places;
    this.transport = this.connect(sim.adminToken);
    this.client = new KubeClient(this.transport);
    this.#discovery = new Discovery(this.client);
  }

  /** As whoever has this token. */
  connect(token: string): RecordingTransport {
    const sockets = connect({
      name: "test",
      server: this.sim.url,
      namespace: "default",
      insecureSkipVerify: false,
      auth: { type: "token", token },
    });
    onTestFinished(() => sockets.close());
    return new RecordingTransport(sockets);
  }

  keyOf(name: string): InventoryKey {
    return { instanceId: this.#places.ids.get(name) ?? "", clusterId: this.#places.clusterId };
  }

  engine(name = "web", client = this.client): WorkloadEngine {
    const { inventory } = this.store;
    const { clock } = this.#places;
    const discovery = client === this.client ? this.#discovery : new Discovery(client);
    return new WorkloadEngine({ client, discovery, inventory, key: this.keyOf(name), instance: name, clock });
  }

  /** As after a restart of the server. */
  forgetDiscovery(): void {
    this.#discovery = new Discovery(this.client);
  }

  /** A revision of these manifests, stored. */
  async workload(
    manifests: string | readonly ManifestObject[],
    changes: WorkloadChanges = {},
  ): Promise<Workload> {
    const objects = typeof manifests === "string" ? parsed(manifests) : manifests;
    const { content } = revisionOf({ objects, parameters: [] });
    const { definitionId } = this.#places;
    const { id } = await this.store.revisions.put({ definitionId, content, objects: objects.length });
    const { policy, ...rest } = changes;
    return {
      revision: id,
      objects,
      parameters: new Map(),
      cluster: { name: "east", labels: {} },
      namespace: "shop",
      ...rest,
      policy: { ...defaultPolicy, ...policy },
    };
  }

  async reconcile(
    manifests: string | readonly ManifestObject[] | Workload,
    options: Partial<ReconcileOptions> & { readonly name?: string } = {},
  ): Promise<ReconcileResult> {
    const isWorkload = typeof manifests !== "string" && "revision" in manifests;
    const workload = isWorkload ? manifests : await this.workload(manifests);
    const { name = "web", ...rest } = options;
    return this.engine(name).reconcile(workload, { signal: new AbortController().signal, ...rest });
  }

  async inventory(name = "web"): Promise<readonly InventoryItem[]> {
    return (await this.store.inventory.list(this.keyOf(name), { limit: 500 })).items;
  }

  createNamespace(name: string): void {
    this.sim.api.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }

  names(resource: string, namespace = "shop"): string[] {
    return Array.from(this.sim.api.list(resource, namespace), ({ metadata }) => metadata.name)
      .filter((name) => name !== "kube-root-ca.crt")
      .toSorted();
  }
}

function parsed(text: string): readonly ManifestObject[] {
  const { objects, problems } = parseManifests(text);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return objects;
}

/** Lets time pass until a run has ended. */
export async function passing<T>(clock: ManualClock, running: Promise<T>): Promise<T> {
  const state = { isDone: false };
  const end = running.finally(() => {
    state.isDone = true;
  });
  end.catch(() => {});
  while (!state.isDone) await clock.advance(500);
  return end;
}

/** ConfigMaps of these names. */
export function configMaps(...names: string[]): ManifestObject[] {
  return names.map((name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { name } }));
}

/** An answer in the place of the API server's. */
export async function answer(code: number, body: object): Promise<KubeResponse> {
  const headers = { "content-type": "application/json" };
  return { status: code, headers, body: Readable.from([Buffer.from(JSON.stringify(body))]) };
}

/** An answer of an API server that refuses. */
export function refusal(code: number, reason: string, message: string): Promise<KubeResponse> {
  return answer(code, { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message });
}
