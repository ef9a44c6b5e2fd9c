import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { get } from "node:https";
import { text } from "node:stream/consumers";

import { connect, KubeClient } from "@bowline/kube";
import {
  DeployedPrograms,
  FakeCertManager,
  FakeExternalDns,
  gatewayDefinitionsFolder,
  installDefinitions,
  readGatewayDefinitions,
  ReferenceController,
  referenceControllerName,
  type DnsServer,
  type ReferenceControllerOptions,
} from "@bowline/test-gateway";
import { onTestFinished } from "vitest";

import type { AgentBench } from "../../testing/agent-bench.ts";
import { runBowline } from "../../testing/run-bowline.ts";

/** The Kubernetes that a walk goes through. */
export interface WalkedCluster {
  readonly url: string;
  readonly caCert: string;
  readonly adminToken: string;
  kubeconfig(): string;
}

/** A command as its admin types it, which has to end well; resolves to what it printed. */
export type Bowline = (args: readonly string[], stdin?: string) => Promise<string>;

export function commandsOf({ environment }: AgentBench): Bowline {
  return async (args, stdin = "") => {
    const { code, out, error } = await runBowline(args, { environment, stdin });
    if (code !== 0) throw new Error(`bowline ${args.join(" ")} ended with ${code}: ${error}${out}`);
    return out;
  };
}

export function definition(name: string, manifests: string, parameters: readonly object[] = []): object {
  const spec = { source: { inline: { manifests } }, parameters };
  return { kind: "WorkloadDefinition", metadata: { name }, spec };
}

/** Has a Service `web`; nothing of it runs in a cluster without nodes. */
export const shop = definition(
  "shop",
  JSON.stringify({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { ports: [{ port: 80 }] },
  }),
);

/** For a cluster that has got the Gateway API and nothing else. */
export async function clientOf({ url, caCert, adminToken }: WalkedCluster): Promise<KubeClient> {
  const transport = connect({
    name: "walk",
    server: url,
    namespace: "default",
    ca: { pem: caCert },
    insecureSkipVerify: false,
    auth: { type: "token", token: adminToken },
  });
  onTestFinished(() => transport.close());
  const client = new KubeClient(transport);
  const { path = "" } = gatewayDefinitionsFolder();
  await installDefinitions(client, await readGatewayDefinitions(path));
  return client;
}

interface ProgramsOptions {
  readonly address: string;
  readonly serve: NonNullable<ReferenceControllerOptions["serve"]>;
  /** Where external-dns writes, if there is one. */
  readonly dns?: DnsServer;
}

/** The programs of the services, once they are deployed; resolves to how the cert-manager is found then. */
export function runPrograms(
  client: KubeClient,
  { address, serve, dns: server }: ProgramsOptions,
): () => FakeCertManager {
  let certManager: FakeCertManager | undefined;
  const programs = DeployedPrograms.start({
    client,
    programs: {
      "reference-gateways": () =>
        ReferenceController.start({
          client,
          controllerName: referenceControllerName,
          addresses: [address],
          serve,
        }),
      "cert-manager": async () => (certManager = await FakeCertManager.start({ client })),
      ...(server === undefined
        ? {}
        : {
            "external-dns": (args: readonly string[]) => {
              const [owner = "", domains = ""] = args.map((arg) => arg.slice(arg.indexOf("=") + 1));
              return FakeExternalDns.start({
                client,
                server,
                owner,
                domains: domains.split(","),
                intervalMs: 1_000,
              });
            },
          }),
    },
  });
  onTestFinished(() => programs.stop());
  return () => {
    if (certManager === undefined) throw new Error("No cert-manager has been started.");
    return certManager;
  };
}

/** Stands for the pods of a Service. */
export interface Backend {
  /** `127.0.0.1:41234` */
  readonly address: string;
  /** How often it was asked. */
  readonly asked: number;
}

export async function startBackend(says: string): Promise<Backend> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    response.end(`${says} at ${request.headers.host}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const bound = server.address();
  return {
    address: `127.0.0.1:${typeof bound === "object" ? bound?.port : ""}`,
    get asked() {
      return asked;
    },
  };
}

export interface HostAnswer {
  readonly status: number | undefined;
  readonly body: string;
}

/** As a browser would: by the name in the handshake, trusting only who has issued the certificate. */
export async function askHost(host: string, address: string, ca: string): Promise<HostAnswer> {
  const asked = get({ host: address, port: 443, agent: false, servername: host, ca, headers: { host } });
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return { status: answer.statusCode, body: await text(answer) };
}
