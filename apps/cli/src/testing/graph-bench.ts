import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { createTempFolder } from "@bowline/test-services";

import { AccessGrant, Cluster } from "@bowline/api";
import { createClient, type Client } from "@bowline/client";

import type { Environment } from "../command/command-context.ts";
import { startRealServer } from "./real-server.ts";
import { runBowline, type Ran, type RunBowlineOptions } from "./run-bowline.ts";
import { shopObjects } from "./shop-objects.ts";

/**
 * A real server, and the shop in a simulated cluster `edge` whose agent has told of it: for all tests of a file, which
 * close it at the end. A second cluster, `dark`, has never had an agent.
 */
export class GraphBench implements AsyncDisposable {
  readonly cluster: Kubesim;
  readonly client: Client;
  readonly #environment: Environment;
  readonly #closing: AsyncDisposableStack;

  private constructor(
    cluster: Kubesim,
    client: Client,
    environment: Environment,
    closing: AsyncDisposableStack,
  ) {
    this.cluster = cluster;
    this.client = client;
    this.#environment = environment;
    this.#closing = closing;
  }

  static async open(): Promise<GraphBench> {
    await using opening = new AsyncDisposableStack();
    const { path: folder } = opening.use(await createTempFolder("graph-command"));
    const server = opening.use(await startRealServer(join(folder, "server")));
    const cluster = await startKubesim({ controllers: false });
    opening.defer(() => cluster.stop());
    for (const [resource, object] of shopObjects) {
      const created = cluster.api.create(resource, object);
      if ("status" in object) cluster.api.updateStatus(resource, { ...created, status: object["status"] });
    }
    const token = (await readFile(server.adminTokenFile, "utf8")).trim();
    const caFile = join(folder, "server", "tls", "ca.crt");
    const client = createClient({ server: server.url, token, caPem: await readFile(caFile, "utf8") });
    opening.defer(() => client.close());
    const environment = {
      HOME: folder,
      BOWLINE_SERVER: server.url,
      BOWLINE_TOKEN: token,
      BOWLINE_CA_FILE: caFile,
    };
    await addClusters(client);
    const agent = await startAgent(client, cluster, folder);
    opening.defer(agent);
    return new GraphBench(cluster, client, environment, opening.move());
  }

  /** Runs a command line as the first admin. */
  bowline(args: readonly string[], options: RunBowlineOptions = {}): Promise<Ran> {
    const environment = { ...this.#environment, ...options.environment };
    return runBowline(args, { ...options, environment });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closing.disposeAsync();
  }
}

async function addClusters(client: Client): Promise<void> {
  for (const name of ["edge", "dark"]) await client.apply(Cluster, name, { metadata: { name }, spec: {} });
  const spec = {
    subjects: [{ user: "admin" }],
    clusters: { names: ["edge", "dark"] },
    kubernetes: { groups: ["system:masters"] },
  };
  await client.apply(AccessGrant, "all", { metadata: { name: "all" }, spec });
}

/** Runs the agent in this process until it has told of everything. Returns what ends it. */
async function startAgent(client: Client, cluster: Kubesim, folder: string): Promise<() => Promise<void>> {
  const { token } = await client.createJoinToken("edge");
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig());
  const stopping = new AbortController();
  const running = runBowline(
    [
      "agent",
      "--kubeconfig",
      kubeconfig,
      "--health-listen",
      "127.0.0.1:0",
      "--observe-secrets",
      "on",
      "--log-level",
      "silent",
    ],
    { environment: { HOME: folder, BOWLINE_JOIN_TOKEN: token }, signal: stopping.signal },
  );
  const failed = async (): Promise<never> => {
    throw new Error(`The agent has ended: ${(await running).error}`);
  };
  await Promise.race([failed(), toldOfShop(client)]);
  return async () => {
    stopping.abort();
    await running;
  };
}

/** Every kind has been told of when none is unknown any more, and the last of the objects is there. */
async function toldOfShop(client: Client): Promise<void> {
  for (;;) {
    const { notObserved, data } = await client.askGraph("blast-radius", {
      node: "Secret/shop/db",
      cluster: "edge",
    });
    if (data.found && !notObserved.some(({ state }) => state === "UNKNOWN")) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
