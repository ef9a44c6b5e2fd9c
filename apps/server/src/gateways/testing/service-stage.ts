import { WorkloadInstance } from "@bowline/api";
import type { KubeClient } from "@bowline/kube";
import {
  DeployedPrograms,
  FakeCertManager,
  FakeExternalDns,
  ReferenceController,
  referenceControllerName as controllerName,
  serviceManifests,
  startDnsServer,
  type DnsServer,
} from "@bowline/test-gateway";
import { onTestFinished } from "vitest";

import type { TestCluster } from "../../workloads/testing/workload-harness.ts";
import type { ServiceDefinitions } from "../services/support-service.ts";
import { GatewayHarness } from "./gateway-harness.ts";

/** What an admin would name in the settings. */
export const install: ServiceDefinitions = {
  implementations: { reference: "reference-gateways" },
  certManager: "cert-manager",
  externalDns: "external-dns",
};

/** A cluster where the programs of services run once their Deployments are there. */
export interface ServiceCluster extends TestCluster {
  readonly programs: DeployedPrograms;
  /** That of the cluster, while it runs. */
  readonly certManager: () => FakeCertManager;
  /** Told apart by what it runs with: `OWNER DOMAINS`. */
  readonly externalDns: string[];
}

interface StageOptions {
  readonly isManual?: boolean;
  /** What the settings name, if not everything. */
  readonly install?: ServiceDefinitions;
  /** See `gateways.user`. */
  readonly user?: string;
}

/** Clusters with the Gateway API alone, a server that may bring the rest, and a real DNS server. */
export class ServiceStage {
  readonly harness: GatewayHarness;
  readonly dns: DnsServer;

  private constructor(harness: GatewayHarness, dns: DnsServer) {
    this.harness = harness;
    this.dns = dns;
  }

  static async open({
    isManual = false,
    install: wanted = install,
    user,
  }: StageOptions = {}): Promise<ServiceStage> {
    const dns = await startDnsServer("example.com");
    onTestFinished(() => dns.stop());
    const resolve = (host: string): Promise<string[]> => dns.resolver.resolve4(host).catch(() => []);
    const harness = await GatewayHarness.open({ isManual, install: wanted, resolve, user });
    for (const [name, manifests] of Object.entries(serviceManifests)) {
      const names = name === "external-dns" ? ["owner", "domains"] : [];
      await harness.workloads.define(manifests, { name, parameters: names });
    }
    return new ServiceStage(harness, dns);
  }

  /** See `GatewayHarness`. */
  ready(name: string): Promise<string> {
    return this.harness.ready(name);
  }

  get store(): GatewayHarness["store"] {
    return this.harness.store;
  }

  async addCluster(name: string): Promise<ServiceCluster> {
    const cluster = await this.harness.addBareCluster(name);
    const externalDns: string[] = [];
    const running: { certManager?: FakeCertManager } = {};
    const { client } = cluster;
    const programs = DeployedPrograms.start({
      client,
      programs: {
        "reference-gateways": () =>
          ReferenceController.start({ client, controllerName, addresses: ["192.0.2.1", "192.0.2.2"] }),
        "cert-manager": async () => (running.certManager = await FakeCertManager.start({ client })),
        "external-dns": (args) => {
          const [owner = "", domains = ""] = args.map((arg) => arg.slice(arg.indexOf("=") + 1));
          externalDns.push(`${owner} ${domains}`);
          return this.#startDns(client, owner, domains);
        },
      },
    });
    onTestFinished(() => programs.stop());
    const certManager = (): FakeCertManager => {
      if (running.certManager === undefined) throw new Error("No cert-manager has been started.");
      return running.certManager;
    };
    return { ...cluster, programs, externalDns, certManager };
  }

  #startDns(client: KubeClient, owner: string, domains: string): FakeExternalDns {
    return FakeExternalDns.start({
      client,
      server: this.dns,
      owner,
      domains: domains.split(","),
      intervalMs: 500,
    });
  }

  /** Those of services, by what they begin with. */
  async instances(): Promise<string[]> {
    const names = await this.store.objects.listNames(WorkloadInstance);
    return names.flatMap(
      (name) => /^bowline-support-(?!namespace)[a-z-]+(?=-[0-9a-v]{10}$)/u.exec(name) ?? [],
    );
  }

  async instanceOf(start: string): Promise<WorkloadInstance | undefined> {
    const names = await this.store.objects.listNames(WorkloadInstance);
    const name = names.find((each) => each.startsWith(`bowline-support-${start}`));
    return name === undefined ? undefined : this.store.objects.get(WorkloadInstance, name);
  }
}
