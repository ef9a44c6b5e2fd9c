/** A simulated cluster with what answers for its Gateways: a controller, nginx, external-dns, a name server, a backend. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { connect, KubeClient, kubeconfigConnection } from "@bowline/kube";
import { startKubesim } from "@bowline/kubesim";
import {
  FakeExternalDns,
  gatewayDefinitionsFolder,
  gatewayResources,
  installDefinitions,
  Nginx,
  readGatewayDefinitions,
  ReferenceController,
  startDnsServer,
} from "@bowline/test-gateway";

import { answerCommands } from "../measure-process.ts";
import type { GatewayOrder, StartedGateways } from "./measure-gateway.ts";

const controllerName = "example.com/reference";
const className = "reference";
const dnsPort = 53;

const owned = new AsyncDisposableStack();
/** What was tried again, for a run that does not come to its end. */
const errors: string[] = [];
const onError = ({ message }: Error): void => void errors.push(message);

async function start({ folder, name, zone, address }: GatewayOrder): Promise<StartedGateways> {
  const sim = owned.adopt(await startKubesim({ name }), (each) => each.stop());
  const sockets = connect(kubeconfigConnection(sim.kubeconfig()));
  owned.defer(() => sockets.close());
  const client = new KubeClient(sockets);
  const { path, obstacle } = gatewayDefinitionsFolder();
  if (path === undefined) throw new Error(obstacle);
  await installDefinitions(client, await readGatewayDefinitions(path));
  await client.create(gatewayResources.gatewayClasses, {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GatewayClass",
    metadata: { name: className },
    spec: { controllerName },
  });
  const backend = await startBackend();
  const nginx = owned.use(await Nginx.start({ resolve: () => [backend] }));
  const server = owned.use(await startDnsServer(zone, { port: dnsPort }));
  const { serve } = nginx;
  owned.use(ReferenceController.start({ client, controllerName, addresses: [address], serve, onError }));
  owned.use(FakeExternalDns.start({ client, server, owner: name, domains: [zone], onError }));
  const kubeconfigPath = join(folder, `${name}.kubeconfig`);
  await writeFile(kubeconfigPath, sim.kubeconfig());
  return { kubeconfigPath };
}

/** What the Services of the cluster lead to. */
async function startBackend(): Promise<string> {
  const server = createServer((_request, response) => response.end("ok\n"));
  owned.defer(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

answerCommands({
  start: (order: GatewayOrder) => start(order),
  errors: () => Promise.resolve(errors.splice(0)),
  // nginx and the name server are processes of their own, and have to go before this one does.
  stop: () => owned.disposeAsync(),
});
