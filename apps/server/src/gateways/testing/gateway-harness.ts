import { Gateway, type SpecOf } from "@bowline/api";
import { resources, type KubeObject } from "@bowline/kube";
import {
  gatewayDefinitionsFolder,
  gatewayResources,
  installDefinitions,
  readGatewayDefinitions,
  ReferenceController,
  referenceControllerName as controllerName,
  type Behaviour,
  type ReferenceControllerOptions,
} from "@bowline/test-gateway";
import { onTestFinished } from "vitest";

import type { ObjectController } from "../../controllers/object-controller.ts";
import type { ClusterClients } from "../../workloads/cluster-clients.ts";
import { editor, WorkloadHarness, type TestCluster } from "../../workloads/testing/workload-harness.ts";
import { AllowedAddresses } from "../allowed-address.ts";
import { gatewayControllerWith } from "../gateway-controller.ts";
import type { ResolveHost } from "../judge-outside.ts";
import type { ProbeHost, ProbeTarget } from "../probe-host.ts";
import type { ServiceDefinitions } from "../services/support-service.ts";

/** A cluster with the Gateway API, and who answers for it there. */
export interface GatewayCluster extends TestCluster {
  readonly controller: ReferenceController;
}

type GatewayInput = Partial<SpecOf<typeof Gateway>>;

const definition = `
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { ports: [{ port: 80 }] }
`;

interface HarnessOptions {
  /** Whoever tests does the work of the controller. */
  readonly isManual?: boolean;
  /** Controllers of other kinds. */
  readonly more?: readonly ObjectController[];
  /** What is installed where it is not there. */
  readonly install?: ServiceDefinitions;
  /** In whose name is written what Gateways share, and what is installed. */
  readonly user?: string | undefined;
  /** DNS, if not `records`. */
  readonly resolve?: ResolveHost;
  /** Who answers at the addresses of entries, if not everybody with 200. */
  readonly probe?: ProbeHost;
}

/** Clusters with a reference implementation, and a server whose DNS and whose way outside are made up. */
export class GatewayHarness {
  readonly workloads: WorkloadHarness;
  /** DNS, by host. */
  readonly records: Map<string, readonly string[]>;
  /** What was asked for at which address. */
  readonly probes: ProbeTarget[];

  private constructor(workloads: WorkloadHarness, records: GatewayHarness["records"], probes: ProbeTarget[]) {
    this.workloads = workloads;
    this.records = records;
    this.probes = probes;
  }

  static async open(options: HarnessOptions = {}): Promise<GatewayHarness> {
    const records = new Map<string, readonly string[]>();
    const {
      isManual = false,
      more = [],
      install = {},
      resolve = (host) => Promise.resolve(records.get(host) ?? []),
      probe = () => Promise.resolve({ status: 200, distrust: undefined }),
    } = options;
    const probes: ProbeTarget[] = [];
    const controller = (clients: ClusterClients): ObjectController =>
      gatewayControllerWith({
        clients,
        user: options.user,
        install,
        lookAgainMs: { soon: 50, later: 200 },
        outside: {
          isOn: true,
          resolve,
          probe: (target, signal) => {
            probes.push(target);
            return probe(target, signal);
          },
          // Those of documentation are what the implementation gives out.
          allowed: new AllowedAddresses(["192.0.2.0/24"]),
        },
      });
    const workloads = await WorkloadHarness.open(undefined, (clients) =>
      isManual ? more : [controller(clients), ...more],
    );
    await workloads.define(definition);
    return new GatewayHarness(workloads, records, probes);
  }

  get store(): WorkloadHarness["store"] {
    return this.workloads.store;
  }

  /** With the class `reference`, whose controller hands out the addresses 192.0.2.x. */
  async addCluster(
    name: string,
    {
      addresses = ["192.0.2.1", "192.0.2.2"],
      serve,
      ...behaviour
    }: Partial<Behaviour> & Pick<ReferenceControllerOptions, "serve"> & { addresses?: string[] } = {},
  ): Promise<GatewayCluster> {
    const cluster = await this.addBareCluster(name);
    await addClass(cluster, "reference");
    const controller = ReferenceController.start({
      client: cluster.client,
      controllerName,
      addresses,
      behaviour,
      ...(serve === undefined ? {} : { serve }),
    });
    onTestFinished(() => controller.stop());
    return { ...cluster, controller };
  }

  /** With the Gateway API, or all but one kind of it, and nothing that answers for it. */
  async addBareCluster(name: string, { without }: { without?: string } = {}): Promise<TestCluster> {
    const cluster = await this.workloads.addCluster(name);
    const { path } = gatewayDefinitionsFolder();
    if (path === undefined) throw new Error("There are no definitions of the Gateway API.");
    const definitions = (await readGatewayDefinitions(path)).filter(
      ({ metadata }) => metadata.name !== `${without}.gateway.networking.k8s.io`,
    );
    await installDefinitions(cluster.client, definitions);
    return cluster;
  }

  async write(name: string, spec: GatewayInput = {}, author = editor): Promise<void> {
    const metadata = { name, labels: {}, annotations: {} };
    const whole: SpecOf<typeof Gateway> = {
      instance: "web",
      hosts: [`${name}.example.com`],
      rules: [{ path: "/", service: "web", port: 80 }],
      tls: { mode: "terminate" },
      visibility: "public",
      probe: true,
      ...spec,
    };
    await this.store.objects.write(Gateway, name, () => ({ metadata, spec: whole }), { author });
  }

  async delete(name: string): Promise<void> {
    await this.store.objects.delete(Gateway, name);
  }

  /** Under which its entry is reached, in its first cluster. */
  async addresses(name: string): Promise<readonly string[] | undefined> {
    return (await this.store.objects.get(Gateway, name))?.status.clusters[0]?.addresses;
  }

  /** Whether it is ready in a cluster and why, or in all: `False BackendMissing: There is …`. */
  async ready(name: string, cluster?: string): Promise<string> {
    const gateway = await this.store.objects.get(Gateway, name);
    if (cluster !== undefined) {
      const found = gateway?.status.clusters.find((each) => each.cluster === cluster);
      return found === undefined ? "" : `${found.ready} ${found.reason}: ${found.message}`;
    }
    const found = gateway?.status.conditions.find(({ type }) => type === "Ready");
    if (gateway === undefined || found?.observedGeneration !== gateway.metadata.generation) return "";
    return `${found.status} ${found.reason}: ${found.message}`;
  }
}

export async function addClass({ client }: TestCluster, name: string, annotations = {}): Promise<void> {
  await client.create(gatewayResources.gatewayClasses, {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GatewayClass",
    metadata: { name, annotations },
    spec: { controllerName },
  });
}

/** Names of the objects of Kubernetes that were made for Gateways. */
export async function madeIn({ client }: TestCluster): Promise<string[]> {
  const { gateways, httpRoutes } = gatewayResources;
  const found: KubeObject[] = [];
  for (const resource of [gateways, httpRoutes, resources.secrets, resources.namespaces]) {
    const labelSelector = "bowline.dev/made-for-gateways=true";
    const { items } = await client.list(resource, { labelSelector });
    found.push(...items.map((item) => ({ ...item, kind: resource.kind })));
  }
  return found.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
}
