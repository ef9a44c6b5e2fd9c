import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { FaultyNetwork } from "@bowline/test-services";
import { onTestFinished } from "vitest";

import { send } from "../../run/testing/https-request.ts";
import { tempFolder } from "../../run/testing/start-test-server.ts";
import { AgentProcess } from "../crash/agent-process.ts";
import { ReconcileRecord } from "../crash/reconcile-record.ts";
import { ServerProcess } from "../crash/server-process.ts";
import { adminToken } from "../crash/start-servers.ts";

/** A simulated cluster, its agents, and the networks between them and both the API server and the server. */
export interface FleetCluster {
  readonly name: string;
  readonly sim: Kubesim;
  readonly agents: readonly AgentProcess[];
  readonly toApiServer: FaultyNetwork;
  readonly toServer: FaultyNetwork;
}

export interface FleetOptions {
  /** How many agents each cluster has; of several, one is elected to report. */
  readonly agents?: number;
  readonly nodes?: number;
}

interface Page<T> {
  readonly metadata: { readonly cursor?: string };
  readonly items: readonly T[];
}

const reconnectDelayMs = 50;

/** A server on SQLite and the agents of some clusters as processes that can be killed, and a client of their admin. */
export class Fleet {
  readonly server: ServerProcess;
  readonly record: ReconcileRecord;
  readonly clusters: readonly FleetCluster[];
  readonly #admin: Admin;

  /** The admin may do everything in all clusters. */
  static async open(names: readonly string[], options: FleetOptions = {}): Promise<Fleet> {
    const record = new ReconcileRecord();
    const flags = { "--tls": "on" };
    const server = await ServerProcess.create({
      name: "server",
      dataFolder: await tempFolder(),
      flags,
      record,
    });
    await server.start();
    const admin = await Admin.of(server);
    await admin.put("accessgrants", "all", {
      subjects: [{ user: "admin" }],
      clusters: { selector: {} },
      kubernetes: { groups: ["system:masters"] },
    });
    const clusters = await Promise.all(names.map((name) => addCluster(admin, server, name, options)));
    return new Fleet(server, record, clusters, admin);
  }

  private constructor(
    server: ServerProcess,
    record: ReconcileRecord,
    clusters: readonly FleetCluster[],
    admin: Admin,
  ) {
    this.server = server;
    this.record = record;
    this.clusters = clusters;
    this.#admin = admin;
  }

  /** Creates an object or gives it this spec; asks until it is acknowledged. */
  put(
    plural: string,
    name: string,
    spec: object,
    labels: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    return this.#admin.put(plural, name, spec, labels);
  }

  /** Asks until it is acknowledged. */
  delete(plural: string, name: string): Promise<void> {
    return this.#admin.delete(plural, name);
  }

  /** All of them, page by page. */
  list<T>(plural: string, query = ""): Promise<T[]> {
    return this.#admin.list<T>(plural, query);
  }

  /** Reads the database of a server that is not running. */
  query<T>(sql: string): T[] {
    const database = new DatabaseSync(join(this.server.dataFolder, "bowline.db"), { readOnly: true });
    try {
      // The shape is that of the statement, which the caller has written.
      return database.prepare(sql).all() as T[];
    } finally {
      database.close();
    }
  }
}

/** A client that sends everything again until there is an answer other than "later". */
class Admin {
  readonly #url: string;
  readonly #ca: string;
  readonly #token: string;

  static async of(server: ServerProcess): Promise<Admin> {
    const ca = await readFile(join(server.dataFolder, "tls", "ca.crt"), "utf8");
    return new Admin(server.url, ca, await adminToken([server]));
  }

  private constructor(url: string, ca: string, token: string) {
    this.#url = url;
    this.#ca = ca;
    this.#token = token;
  }

  async put(plural: string, name: string, spec: object, labels = {}): Promise<void> {
    await this.ask("PUT", `${plural}/${name}`, { metadata: { name, labels }, spec });
  }

  async delete(plural: string, name: string): Promise<void> {
    await this.ask("DELETE", `${plural}/${name}`);
  }

  async list<T>(plural: string, query = ""): Promise<T[]> {
    const items: T[] = [];
    let cursor = "";
    do {
      const page: Page<T> = JSON.parse(await this.ask("GET", `${plural}?limit=500&${query}${cursor}`));
      items.push(...page.items);
      cursor = page.metadata.cursor === undefined ? "" : `&cursor=${page.metadata.cursor}`;
    } while (cursor !== "");
    return items;
  }

  async ask(method: string, path: string, body?: object): Promise<string> {
    for (;;) {
      const answer = await send(`${this.#url}/api/v1/${path}`, {
        method,
        ca: this.#ca,
        token: this.#token,
        ...(body === undefined ? {} : { body }),
      }).catch(() => undefined);
      const isDone =
        answer !== undefined && (answer.status < 300 || (method === "DELETE" && answer.status === 404));
      if (isDone) return answer.body;
      if (answer !== undefined && answer.status < 500)
        throw new Error(`${method} ${path} was answered ${answer.status} ${answer.body}`);
      await sleep(reconnectDelayMs);
    }
  }
}

async function addCluster(
  admin: Admin,
  server: ServerProcess,
  name: string,
  { agents: count = 1, nodes = 2 }: FleetOptions,
): Promise<FleetCluster> {
  const sim = await startKubesim({ name, nodes });
  onTestFinished(() => sim.stop());
  const { port } = new URL(sim.url);
  const [toApiServer, toServer] = [await networkTo(sim.url), await networkTo(server.url)];
  await admin.put("clusters", name, {});
  const { token: joinToken } = JSON.parse(await admin.ask("POST", `clusters/${name}/join-tokens`, {}));
  const folder = await tempFolder();
  const kubeconfig = sim.kubeconfig().replaceAll(`:${port}`, `:${toApiServer.port}`);
  const servers = `https://127.0.0.1:${toServer.port}`;
  const elected = count > 1 ? ["--lease-namespace", "default"] : [];
  const agents: AgentProcess[] = [];
  for (let index = 0; index < count; index += 1) {
    const flags = ["--instance", `${name}-${index}`, ...elected];
    const agent = await AgentProcess.create({ folder, kubeconfig, servers, joinToken, flags });
    // One after the other: the first one joins, and the others have its identity.
    await agent.start();
    agents.push(agent);
  }
  return { name, sim, toApiServer, toServer, agents };
}

async function networkTo(url: string): Promise<FaultyNetwork> {
  const network = await FaultyNetwork.start(Number(new URL(url).port));
  onTestFinished(() => network[Symbol.asyncDispose]());
  return network;
}
