import { resources, type KubeClient } from "@bowline/kube";
import { Nginx, serviceManifests, startDnsServer, zoneRecords } from "@bowline/test-gateway";
import { expect, onTestFinished } from "vitest";

import { AgentBench } from "../../testing/agent-bench.ts";
import {
  askHost,
  clientOf,
  commandsOf,
  definition,
  runPrograms,
  shop,
  startBackend,
  type HostAnswer,
  type WalkedCluster,
} from "./gateway-parts.ts";

/** Of this machine, and of nobody else on it: the ports are those that browsers use. */
const address = "127.0.7.1";
const host = "shop.example.com";

/** What was seen on the way. */
export interface Walked {
  readonly addresses: readonly string[];
  readonly answer: HostAnswer;
  /** Names of WorkloadInstances, at the end of the way and back at its beginning. */
  readonly instances: { readonly there: string; readonly back: string };
  /** Records of the host, and namespaces in the cluster, that are left. */
  readonly left: readonly string[];
}

/** What has to be seen. */
export const wholeWalk = {
  addresses: [address],
  answer: { status: 200, body: `the shop at ${host}` },
  instances: {
    there: expect.stringMatching(
      /bowline-support-cert-manager-edge-[^]*bowline-support-external-dns-edge-[^]*bowline-support-implementation-edge-/u,
    ),
    back: "workloadinstance/shop",
  },
  left: [],
};

/**
 * From an empty cluster to a host that answers from outside, and back: a server with its agent, the three services
 * installed from definitions, nginx behind the reference controller, records in BIND, and `bowline` for everything.
 */
export async function walkToGateway(cluster: WalkedCluster): Promise<Walked> {
  const dns = await startDnsServer("example.com");
  onTestFinished(() => dns.stop());
  const bench = await AgentBench.open({
    flags: {
      "--gateways-implementations": "reference=reference-gateways",
      "--gateways-cert-manager": "cert-manager",
      "--gateways-external-dns": "external-dns",
      "--gateways-probe-networks": "127.0.0.0/8",
      "--gateways-resolvers": `127.0.0.1:${dns.port}`,
    },
  });
  const bowline = commandsOf(bench);
  const client = await clientOf(cluster);
  const backend = await startBackend("the shop");
  const nginx = await Nginx.start({ resolve: () => [backend.address] });
  onTestFinished(() => nginx[Symbol.asyncDispose]());
  const certManager = runPrograms(client, { address, serve: nginx.serve, dns });
  await bench.startAgent(cluster.kubeconfig(), { joinToken: await bench.newJoinToken() });
  await bench.reachable(true);
  for (const each of [...services, shop]) await bowline(["apply", "-f", "-"], JSON.stringify(each));
  await bowline(["apply", "-f", "-"], JSON.stringify(instance));

  const exposed = ["expose", "wi/shop", "--host", host, "--service", "web", "--port", "80"];
  await bowline([...exposed, "--wait", "--timeout", "180s"]);
  const names = async (): Promise<string> =>
    (await bowline(["get", "workloadinstances", "-o", "name"])).trim();
  const there = await names();
  const addresses = await dns.resolver.resolve4(host);
  const answer = await askHost(host, address, certManager().caCert);

  await bowline(["delete", "gateway", "shop", "--wait", "--timeout", "180s"]);
  const records = (await zoneRecords(dns)).filter(({ name }) => name.endsWith(host));
  const left = [...records.map(({ name }) => name), ...(await ownNamespaces(client))];
  return { addresses, answer, instances: { there, back: await names() }, left };
}

const services = Object.entries(serviceManifests).map(([name, manifests]) => {
  const required = name === "external-dns" ? ["owner", "domains"] : [];
  return definition(
    name,
    manifests,
    required.map((each) => ({ name: each, required: true })),
  );
});

const instance = {
  kind: "WorkloadInstance",
  metadata: { name: "shop" },
  spec: { definition: "shop", placement: { clusters: ["edge"] } },
};

async function ownNamespaces(client: KubeClient): Promise<string[]> {
  const labelSelector = "bowline.dev/made-for-gateways=true";
  const { items } = await client.listMetadata(resources.namespaces, { labelSelector });
  return items.flatMap(({ metadata }) => metadata.name ?? []);
}
