import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

import { startKubesim, type Kubesim, type KubesimOptions } from "@bowline/kubesim";
import type { DatabaseOptions } from "@bowline/store";
import { FaultyNetwork } from "@bowline/test-services";
import { Client } from "pg";
import { onTestFinished } from "vitest";

import { send } from "../../run/testing/https-request.ts";
import { tempFolder } from "../../run/testing/start-test-server.ts";
import { AgentProcess } from "../crash/agent-process.ts";
import { ReconcileRecord } from "../crash/reconcile-record.ts";
import { ServerProcess } from "../crash/server-process.ts";
import { adminToken, startServers, type Servers } from "../crash/start-servers.ts";

/** A simulated cluster, its agents, and the networks between them and both the API server and the server. */
export interface FleetCluster {
  readonly name: string;
  readonly sim: Kubesim;
  readonly agents: readonly AgentProcess[];
  readonly toApiServer: FaultyNetwork;
  /** One for each server. */
  readonly toServers: readonly FaultyNetwork[];
}

export interface FleetOptions {
  /** How many agents each cluster has; of several, one is elected to report. */
  readonly agents?: number;
  readonly nodes?: number;
  /** How clusters are simulated, beyond their name and nodes. */
  readonly sim?: Omit<KubesimOptions, "name" | "nodes">;
  /** Called before the agents of a cluster start; returns which user of it they are, if not its administrator. */
  readonly prepare?: (sim: Kubesim) => { readonly name: string; readonly token: string };
  readonly agentFlags?: readonly string[];
  /** Is told what the server does, in the place of a new one. */
  readonly record?: ReconcileRecord;
  /** Servers that share a PostgreSQL, in the place of one on SQLite. */
  readonly replicas?: { readonly names: readonly string[]; readonly databaseUrl: string };
}

interface Page<T> {
  readonly metadata: { readonly cursor?: string };
  readonly items: readonly T[];
}

const reconnectDelayMs = 50;

/** Servers and the agents of some clusters as processes that can be killed, and a client of their admin. */
export class Fleet {
  readonly servers: readonly ServerProcess[];
  readonly record: ReconcileRecord;
  readonly clusters: readonly FleetCluster[];
  readonly #admin: Admin;
  readonly #databaseUrl: string | undefined;

  /** The admin may do everything in all clusters. */
  static async open(names: readonly string[], options: FleetOptions = {}): Promise<Fleet> {
    const { servers, record, token } = await startAll(options);
    const admin = await Admin.of(servers, token);
    await admin.put("accessgrants", "all", {
      subjects: [{ user: "admin" }],
      clusters: { selector: {} },
      kubernetes: { groups: ["system:masters"] },
    });
    const clusters = await Promise.all(names.map((name) => addCluster(admin, servers, name, options)));
    return new Fleet({ servers, record, token }, clusters, admin, options.replicas?.databaseUrl);
  }

  private constructor(
    { servers, record }: Servers,
    clusters: readonly FleetCluster[],
    admin: Admin,
    databaseUrl: string | undefined,
  ) {
    this.servers = servers;
    this.record = record;
    this.clusters = clusters;
    this.#admin = admin;
    this.#databaseUrl = databaseUrl;
  }

  /** The only server, where there is one. */
  get server(): ServerProcess {
    const [server] = this.servers;
    if (server === undefined) throw new Error("A fleet has a server.");
    return server;
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

  /** The answer to a question; asks until there is one. */
  get(path: string): Promise<string> {
    return this.#admin.ask("GET", path);
  }

  get database(): DatabaseOptions {
    return this.#databaseUrl === undefined
      ? { type: "sqlite", file: join(this.server.dataFolder, "bowline.db") }
      : { type: "postgres", url: this.#databaseUrl };
  }

  /** Reads the database, whether servers are running or not. */
  async query<T>(sql: string): Promise<T[]> {
    // The shape is that of the statement, which the caller has written.
    if (this.#databaseUrl !== undefined) return (await queryPostgres(this.#databaseUrl, sql)) as T[];
    const database = new DatabaseSync(join(this.server.dataFolder, "bowline.db"), { readOnly: true });
    try {
      return database.prepare(sql).all() as T[];
    } finally {
      database.close();
    }
  }
}

async function queryPostgres(url: string, sql: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function startAll({ replicas, record = new ReconcileRecord() }: FleetOptions): Promise<Servers> {
  const flags = { "--tls": "on" };
  if (replicas !== undefined)
    return startServers(replicas.names, { databaseUrl: replicas.databaseUrl, flags: () => flags });
  const dataFolder = await tempFolder();
  const server = await ServerProcess.create({ name: "server", dataFolder, flags, record });
  await server.start();
  return { servers: [server], record, token: await adminToken([server]) };
}

/** A client that sends everything again until there is an answer other than "later". */
class Admin {
  /** Of all servers; the first is asked until it does not answer. */
  readonly #urls: string[];
  readonly #ca: string;
  readonly #token: string;

  static async of(servers: readonly ServerProcess[], token: string): Promise<Admin> {
    const ca = await readFile(join(servers[0]?.dataFolder ?? "", "tls", "ca.crt"), "utf8");
    return new Admin(
      servers.map(({ url }) => url),
      ca,
      token,
    );
  }

  private constructor(urls: readonly string[], ca: string, token: string) {
    this.#urls = [...urls];
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
      const answer = await send(`${this.#urls[0]}/api/v1/${path}`, {
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
      this.#urls.push(...this.#urls.splice(0, 1));
      await sleep(reconnectDelayMs);
    }
  }
}

async function addCluster(
  admin: Admin,
  servers: readonly ServerProcess[],
  name: string,
  { agents: count = 1, nodes = 2, sim: simulation = {}, prepare, agentFlags = [] }: FleetOptions,
): Promise<FleetCluster> {
  const sim = await startKubesim({ ...simulation, name, nodes });
  onTestFinished(() => sim.stop());
  const { port } = new URL(sim.url);
  const toApiServer = await networkTo(sim.url);
  const toServers = await Promise.all(servers.map(({ url }) => networkTo(url)));
  await admin.put("clusters", name, {});
  const { token: joinToken } = JSON.parse(await admin.ask("POST", `clusters/${name}/join-tokens`, {}));
  const folder = await tempFolder();
  const kubeconfig = sim.kubeconfig(prepare?.(sim)).replaceAll(`:${port}`, `:${toApiServer.port}`);
  const urls = toServers.map((network) => `https://127.0.0.1:${network.port}`).join(",");
  const elected = count > 1 ? ["--lease-namespace", "default"] : [];
  const agents: AgentProcess[] = [];
  for (let index = 0; index < count; index += 1) {
    const flags = ["--instance", `${name}-${index}`, ...elected, ...agentFlags];
    const agent = await AgentProcess.create({ folder, kubeconfig, servers: urls, joinToken, flags });
    // One after the other: the first one joins, and the others have its identity.
    await agent.start();
    agents.push(agent);
  }
  return { name, sim, toApiServer, toServers, agents };
}

async function networkTo(url: string): Promise<FaultyNetwork> {
  const network = await FaultyNetwork.start(Number(new URL(url).port));
  onTestFinished(() => network[Symbol.asyncDispose]());
  return network;
}
