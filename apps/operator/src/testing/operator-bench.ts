import { systemClock } from "@bowline/core";
import {
  connect,
  KubeClient,
  loadKubeconfig,
  resources,
  type EventInput,
  type KubeObject,
  type KubeRequest,
  type ResourceRef,
  type Transport,
} from "@bowline/kube";
import type { ReconcileEvent } from "@bowline/runtime";
import { vi } from "vitest";

import { metricsAgents, type MetricsAgent } from "../objects/kinds.ts";
import { createOperator, type OperatorOptions } from "../run/operator.ts";
import { allResources, apiVersionOf, definitionOf, grafanaResources } from "./definitions.ts";

export interface OperatorBenchOptions {
  /** The path of a kubeconfig of an administrator. */
  readonly kubeconfig: string;
  /** Which kinds are installed at the start; all by default. */
  readonly installed?: readonly ResourceRef[];
  /** Whether the operator runs in this process, as it does by default; if not, the test has its own. */
  readonly runsOperator?: boolean;
  /** Options that it runs with. */
  readonly compat?: "grafana-agent";
}

type Settings = Pick<OperatorOptions, "compat" | "countsTargets">;

/** So often that what follows a change has followed when the bench is quiet. */
const recountMs = 50;

/** An operator in this process, the cluster it works on, and what it did there. */
export class OperatorBench implements AsyncDisposable {
  readonly client: KubeClient;
  /** Requests by which the operator wrote: `PATCH /api/v1/…`. */
  readonly writes: string[] = [];
  /** How many reads it made of values: `GET /api/v1/namespaces/a/secrets/b`. */
  readonly reads: string[] = [];
  readonly events: EventInput[] = [];
  readonly reconciles: ReconcileEvent[] = [];
  readonly errors: Error[] = [];
  readonly #transports: Transport[] = [];
  #stop: (() => Promise<void>) | undefined;

  private constructor(client: KubeClient) {
    this.client = client;
    this.#transports.push(client.transport);
  }

  static async open({
    kubeconfig,
    installed = allResources,
    runsOperator = true,
    compat,
  }: OperatorBenchOptions): Promise<OperatorBench> {
    const connection = await loadKubeconfig({ paths: [kubeconfig] });
    const bench = new OperatorBench(new KubeClient(connect(connection)));
    for (const resource of installed) await bench.install(resource);
    bench.#start = (settings) => {
      const transport = connect(connection);
      bench.#transports.push(transport);
      return bench.#run(new KubeClient(bench.#counting(transport)), { compat, ...settings });
    };
    if (runsOperator) bench.startOperator();
    return bench;
  }

  #start: (settings: Settings) => () => Promise<void> = () => async () => {};

  startOperator(settings: Settings = {}): void {
    this.#stop = this.#start(settings);
  }

  /** As a crash would end it: nothing is finished. */
  async stopOperator(): Promise<void> {
    await this.#stop?.();
    this.#stop = undefined;
  }

  async install(resource: ResourceRef): Promise<void> {
    await this.client.apply(resources.customResourceDefinitions, definitionOf(resource), {
      fieldManager: "test",
    });
    // Established comes before the first answer.
    await vi.waitUntil(() => this.#isServed(resource), { timeout: 20_000 });
  }

  /** Creates an object, or changes it to this. */
  async apply(...objects: readonly KubeObject[]): Promise<void> {
    for (const object of objects) {
      const resource = resourceOf(object);
      await this.client.apply(resource, object, { fieldManager: "test", force: true });
    }
  }

  async delete(resource: ResourceRef, id: string): Promise<void> {
    const [namespace = "", name = ""] = id.split("/");
    await this.client.delete(resource, { namespace, name });
  }

  async get<T extends KubeObject>(resource: ResourceRef, id: string): Promise<T | undefined> {
    const [namespace = "", name = ""] = id.split("/");
    try {
      return await this.client.get<T>(resource, resource.namespaced ? { namespace, name } : { name: id });
    } catch {
      return undefined;
    }
  }

  /** The configuration as it is written for an agent. */
  async config(id: string): Promise<string> {
    const secret = await this.get<KubeObject & { data?: Record<string, string> }>(
      resources.secrets,
      id.replace("/", "/metrics-").concat("-config-0"),
    );
    return Buffer.from(secret?.data?.["part-0"] ?? "", "base64").toString();
  }

  /** The names of the jobs in it. */
  async jobs(id: string): Promise<string[]> {
    return [...(await this.config(id)).matchAll(/job_name: (\S+)/gu)].map(([, name = ""]) => name);
  }

  async status(id: string): Promise<MetricsAgent["status"]> {
    return (await this.get<MetricsAgent>(metricsAgents, id))?.status;
  }

  /** `True Reason message`, or undefined. */
  async condition(id: string, type: string): Promise<string | undefined> {
    const found = (await this.status(id))?.conditions?.find((condition) => condition.type === type);
    return found === undefined ? undefined : `${found.status} ${found.reason} ${found.message}`;
  }

  /** Resolves when nothing has happened for a while: whatever could follow has followed. */
  async quiet(): Promise<void> {
    let before = -1;
    const isStill = (): boolean => {
      const now = this.reconciles.length + this.writes.length + this.reads.length;
      const isSame = before === now;
      before = now;
      return isSame;
    };
    await vi.waitUntil(isStill, { interval: 150, timeout: 20_000 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopOperator();
    for (const transport of this.#transports) await transport.close();
  }

  #run(client: KubeClient, settings: Settings): () => Promise<void> {
    const stop = new AbortController();
    const manager = createOperator({
      client,
      clock: systemClock,
      random: Math.random,
      recountMs,
      ...settings,
      imageRepository: "registry.example/prometheus",
      record: (event) => void this.events.push(event),
      onReconciled: (event) => void this.reconciles.push(event),
      onError: (error) => void this.errors.push(error),
    });
    const running = manager.run(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    return async () => {
      stop.abort();
      await running;
    };
  }

  #counting(transport: Transport): Transport {
    return {
      detectsDeadPeer: transport.detectsDeadPeer,
      target: transport.target,
      close: () => transport.close(),
      request: (request: KubeRequest) => {
        const path = request.path.split("?")[0] ?? "";
        (request.method === "GET" ? this.reads : this.writes).push(`${request.method} ${path}`);
        return transport.request(request);
      },
    };
  }

  async #isServed(resource: ResourceRef): Promise<boolean> {
    try {
      await this.client.list(resource);
      return true;
    } catch {
      return false;
    }
  }
}

function resourceOf({ apiVersion, kind }: KubeObject): ResourceRef {
  const all = [...allResources, ...grafanaResources, ...Object.values(resources)];
  const known = all.find((resource) => resource.kind === kind && apiVersionOf(resource) === apiVersion);
  if (known === undefined) throw new Error(`There is no resource for ${kind}.`);
  return known;
}
