import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { asRecord } from "@bowline/core";
import { startKubesim, type Kubesim, type NewObject, type SimEvent, type SimObject } from "@bowline/kubesim";
import { monitoringDefinitions, type KubeObject } from "@bowline/monitoring";
import { createTempFolder, type TempFolder } from "@bowline/test-services";

import { monitoringObjects } from "./sample-monitors.ts";

/** Where the objects of each kind are, in the order in which they can be created. */
const resources: ReadonlyMap<string, string> = new Map([
  ["Namespace", "namespaces"],
  ["Secret", "secrets"],
  ["ServiceMonitor", "servicemonitors.monitoring.coreos.com"],
  ["MetricsInstance", "metricsinstances.monitoring.bowline.dev"],
  ["MetricsAgent", "metricsagents.monitoring.bowline.dev"],
]);

/** Those that the sample monitors ask for. */
const monitoredPorts = ["metrics", "admin", "secure"];

const definitions = "customresourcedefinitions.apiextensions.k8s.io";
const monitors = resources.get("ServiceMonitor") ?? "";
const configSecret = "metrics-main-config-0";

/** The ServiceMonitors take anything: what is measured is not the server's validation. */
const monitorDefinition: NewObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: monitors },
  spec: {
    group: "monitoring.coreos.com",
    scope: "Namespaced",
    names: {
      plural: "servicemonitors",
      singular: "servicemonitor",
      kind: "ServiceMonitor",
      listKind: "ServiceMonitorList",
    },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** A simulated cluster with monitors and an agent that takes all of them; nobody works on it yet. */
export class MonitoredCluster implements AsyncDisposable {
  readonly kubeconfig: string;
  readonly #sim: Kubesim;
  readonly #folder: TempFolder;

  static async create(monitorCount: number): Promise<MonitoredCluster> {
    const folder = await createTempFolder("bench-monitoring");
    const sim = await startKubesim({ controllers: false, tls: false });
    const cluster = new MonitoredCluster(sim, folder);
    try {
      await writeFile(cluster.kubeconfig, sim.kubeconfig());
      await cluster.#fill(monitorCount);
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(sim: Kubesim, folder: TempFolder) {
    this.#sim = sim;
    this.#folder = folder;
    this.kubeconfig = join(folder.path, "kubeconfig");
  }

  /** Changes one monitor; resolves to how long it took until the configuration was written, as the store saw it. */
  async changeMonitor(index: number, interval: string, signal: AbortSignal): Promise<number> {
    const all = [...this.#sim.api.list(monitors)];
    const monitor = all[index % all.length];
    if (monitor === undefined) throw new Error("There are no monitors.");
    const written = this.configWritten(signal);
    const startedAt = performance.now();
    this.#sim.api.update(monitors, withInterval(monitor, interval));
    return (await written) - startedAt;
  }

  /** Resolves at the next write of the configuration to the time of it. */
  configWritten(signal: AbortSignal): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const listener = ({ object, type }: SimEvent): void => {
      if (object.metadata.name === configSecret && type !== "DELETED") resolve(performance.now());
    };
    const unsubscribe = this.#sim.api.subscribe("secrets", listener);
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    return promise.finally(() => {
      unsubscribe();
      signal.removeEventListener("abort", abort);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sim.stop();
    await this.#folder[Symbol.asyncDispose]();
  }

  async #fill(monitorCount: number): Promise<void> {
    const { api } = this.#sim;
    for (const definition of [...monitoringDefinitions(), monitorDefinition])
      await this.#define({ ...definition });
    const { root, objects } = monitoringObjects(monitorCount);
    const monitoring = { apiVersion: "v1", kind: "Namespace", metadata: { name: "monitoring" } };
    for (const [kind, resource] of resources)
      for (const object of [monitoring, ...objects, root])
        if (object.kind === kind) api.create(resource, newObject(object));
    for (const { kind, metadata } of objects) {
      if (kind !== "ServiceMonitor") continue;
      api.create("services", serviceOf(metadata));
      api.create("endpoints", endpointsOf(metadata));
    }
  }

  /** Resolves when the server takes objects of the kind. */
  async #define(definition: NewObject): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const unsubscribe = this.#sim.api.subscribe(definitions, ({ object }) => {
      if (object.metadata.name === definition.metadata.name && isEstablished(object)) resolve();
    });
    this.#sim.api.create(definitions, definition);
    await promise.finally(unsubscribe);
  }
}

type Metadata = KubeObject["metadata"];

const addressesPerService = 3;

/** What a monitor finds: the operator counts it. */
function serviceOf({ namespace = "", name }: Metadata): NewObject {
  const labels = { "app.kubernetes.io/name": name };
  const ports = monitoredPorts.map((port, index) => ({ name: port, port: 8080 + index }));
  return { apiVersion: "v1", kind: "Service", metadata: { namespace, name, labels }, spec: { ports } };
}

function endpointsOf({ namespace = "", name }: Metadata): NewObject {
  const addresses = Array.from({ length: addressesPerService }, (_, index) => ({
    ip: `10.0.0.${index + 1}`,
  }));
  const ports = monitoredPorts.map((port, index) => ({ name: port, port: 8080 + index }));
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { namespace, name },
    subsets: [{ addresses, ports }],
  };
}

function isEstablished({ status }: SimObject): boolean {
  // A server that has not looked at it yet writes null.
  const { conditions } = asRecord(status);
  const known: unknown[] = Array.isArray(conditions) ? conditions : [];
  return known.map(asRecord).some(({ type, status: is }) => type === "Established" && is === "True");
}

function newObject({ apiVersion = "v1", metadata, ...rest }: KubeObject): NewObject {
  const { labels, ...names } = metadata;
  return {
    ...rest,
    apiVersion,
    metadata: { ...names, ...(labels === undefined ? {} : { labels: { ...labels } }) },
  };
}

function withInterval(monitor: SimObject, interval: string): SimObject {
  const spec = asRecord(monitor["spec"]);
  const known: unknown[] = Array.isArray(spec["endpoints"]) ? spec["endpoints"] : [];
  const endpoints = known.map((endpoint) => ({ ...asRecord(endpoint), interval }));
  return { ...monitor, spec: { ...spec, endpoints } };
}
