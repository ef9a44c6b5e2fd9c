import { once } from "node:events";
import { createServer } from "node:http";
import { writeFile } from "node:fs/promises";

import type { BowlineError } from "@bowline/core";
import { connect, KubeClient } from "@bowline/kube";
import { startKubesim } from "@bowline/kubesim";

import { ReferenceController, type ProgrammedGateway } from "../controller/reference-controller.ts";
import { readGatewayDefinitions } from "../definitions/gateway-definitions.ts";
import { installDefinitions } from "../definitions/install-definitions.ts";
import { referenceControllerName } from "../definitions/service-manifests.ts";
import { gatewayResources } from "../model/gateway-kinds.ts";
import { gatewayClass } from "../model/gateway-objects.ts";
import { Nginx } from "../nginx/nginx.ts";

interface GatewayClusterOptions {
  readonly name: string;
  /** Of this machine: its Gateways get it. */
  readonly address: string;
  /** Definitions of Gateway API: a folder, or the file that is released. */
  readonly definitions: string;
  /** The file that tells how to reach it. */
  readonly kubeconfig: string;
  readonly onError: (error: Error) => void;
}

/**
 * A simulated cluster whose Gateways are served by nginx. In its pods nothing runs: whatever the Service, its requests are
 * answered with the name of the cluster.
 */
export class GatewayCluster implements AsyncDisposable {
  readonly client: KubeClient;
  readonly #owned: AsyncDisposableStack;
  readonly #backend: string;
  #nginx: Nginx | undefined;
  #gateways: readonly ProgrammedGateway[] = [];
  /** One change after the other: nginx is not ended while it takes another configuration. */
  #work: Promise<void> = Promise.resolve();

  static async start(options: GatewayClusterOptions): Promise<GatewayCluster> {
    const { name, address, definitions, kubeconfig, onError } = options;
    const wanted = await readGatewayDefinitions(definitions);
    await using owned = new AsyncDisposableStack();
    const sim = await startKubesim({ nodes: 1, name, onError });
    owned.defer(() => sim.stop());
    await writeFile(kubeconfig, sim.kubeconfig(), { mode: 0o600 });
    const transport = connect({
      name,
      server: sim.url,
      namespace: "default",
      ca: { pem: sim.caCert },
      insecureSkipVerify: false,
      auth: { type: "token", token: sim.adminToken },
    });
    owned.defer(() => transport.close());
    const client = new KubeClient(transport);
    await installDefinitions(client, wanted);
    await client.create(gatewayResources.gatewayClasses, gatewayClass("reference", referenceControllerName));
    const server = createServer((request, response) =>
      response.end(`${request.headers.host} is answered by ${name}\n`),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    owned.defer(() => void server.close());
    const bound = server.address();
    const port = typeof bound === "object" ? bound?.port : undefined;
    const cluster = new GatewayCluster(owned.move(), client, `127.0.0.1:${port}`);
    await cluster.comeBack();
    cluster.#owned.use(
      ReferenceController.start({
        client,
        controllerName: referenceControllerName,
        addresses: [address],
        serve: cluster.#serve,
        onError: (error: BowlineError) => onError(error),
      }),
    );
    return cluster;
  }

  private constructor(owned: AsyncDisposableStack, client: KubeClient, backend: string) {
    this.#owned = owned;
    this.client = client;
    this.#backend = backend;
    this.#owned.defer(() => this.lose());
  }

  get isLost(): boolean {
    return this.#nginx === undefined;
  }

  /** Nothing answers at its address any more. */
  lose(): Promise<void> {
    return this.#then(async () => {
      const nginx = this.#nginx;
      this.#nginx = undefined;
      await nginx?.[Symbol.asyncDispose]();
    });
  }

  comeBack(): Promise<void> {
    return this.#then(async () => {
      this.#nginx = await Nginx.start({ resolve: () => [this.#backend] });
      await this.#nginx.serve(this.#gateways);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }

  readonly #serve = (gateways: readonly ProgrammedGateway[]): Promise<void> =>
    this.#then(async () => {
      this.#gateways = gateways;
      await this.#nginx?.serve(gateways);
    });

  async #then(change: () => Promise<void>): Promise<void> {
    const done = this.#work.then(change);
    this.#work = done.catch(() => undefined);
    await done;
  }
}
