import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createTempFolder, freePort, ManagedProcess } from "@bowline/test-services";

import { ask } from "./ask.ts";
import { loopback, type Target } from "./target.ts";

export const bowlineProgram = fileURLToPath(new URL("../../../apps/cli/src/main.ts", import.meta.url));

const unlimited = [
  "--limits-requests=1000000",
  "--limits-stranger-requests=1000000",
  "--proxy-requests=1000000",
  "--proxy-concurrent-requests=1000000",
];

export interface ServerOrder {
  /** Its file; the sources when not given. */
  readonly program?: string;
  /** Where its data are, for those who want them afterwards; a folder that goes with it when not given. */
  readonly dataFolder?: string;
  /** Where it listens, for one that pods have to reach; the loopback address when not given. */
  readonly host?: string;
  /** The port there, for one that takes the place of another; any free one when not given. */
  readonly port?: number;
  readonly flags?: readonly string[];
  /** Beside that of the bench, such as what the image sets. */
  readonly env?: NodeJS.ProcessEnv;
  /** How long it may take to stop, where that is longer than a bench would wait. */
  readonly stopGraceMs?: number;
  /** The first server on the same database: this one takes its keys, and knows its admin. */
  readonly replicaOf?: ProductServer;
}

/** `bowline server` with TLS, and limits that do not bite; with SQLite unless the flags say otherwise. */
export class ProductServer implements AsyncDisposable {
  readonly pid: number;
  /** PEM of its certificate and the key. */
  readonly identityFile: string;
  /** PEM. */
  readonly ca: string;
  readonly #api: ServerTarget;
  readonly #keysFile: string;
  #clusters = 0;
  readonly #owned: AsyncDisposable;

  static async start(order: ServerOrder = {}): Promise<ProductServer> {
    const { flags = [], replicaOf, host = loopback, program = bowlineProgram } = order;
    await using starting = new AsyncDisposableStack();
    const folder = order.dataFolder ?? starting.use(await createTempFolder("bench-server")).path;
    const port = order.port ?? (await freePort(host));
    const apiOf = async (): Promise<ServerTarget> => ({
      host,
      port,
      ca: await readFile(join(folder, "tls", "ca.crt"), "utf8"),
      token: replicaOf === undefined ? await adminToken(folder) : replicaOf.#api.token,
      prefix: "",
    });
    const server = starting.use(
      await ManagedProcess.start({
        name: "bowline server",
        command: process.execPath,
        args: [
          program,
          "server",
          `--data=${folder}`,
          `--listen=${host}:${port}`,
          "--log-level=warn",
          ...unlimited,
          ...(replicaOf === undefined ? [] : [`--encryption-keys-file=${replicaOf.#keysFile}`]),
          ...flags,
        ],
        env: { ...process.env, ...order.env },
        ...(order.stopGraceMs === undefined ? {} : { stopGraceMs: order.stopGraceMs }),
        isReady: async () => (await ask(await apiOf(), { path: "/readyz" })) !== "",
      }),
    );
    const api = await apiOf();
    return new ProductServer({ pid: server.pid, folder, api, owned: starting.move() });
  }

  private constructor({ pid, folder, api, owned }: Opened) {
    this.pid = pid;
    this.ca = api.ca;
    this.identityFile = join(folder, "tls", "server.pem");
    this.#keysFile = join(folder, "encryption.keys");
    this.#api = api;
    this.#owned = owned;
  }

  get port(): number {
    return this.#api.port;
  }

  /** Its REST API, as the admin. */
  get api(): ServerTarget {
    return this.#api;
  }

  /** Makes a Cluster that the admin may use. */
  async addCluster(): Promise<NewCluster> {
    const cluster = await this.addClosedCluster();
    const { name } = cluster;
    await this.#post("/api/v1/accessgrants", {
      metadata: { name },
      spec: {
        subjects: [{ user: "admin" }],
        clusters: { names: [name] },
        kubernetes: { groups: ["system:masters"] },
      },
    });
    return cluster;
  }

  /** Makes a Cluster that nobody may use. */
  async addClosedCluster(): Promise<NewCluster> {
    this.#clusters += 1;
    const name = `bench-${this.#clusters}`;
    await this.#post("/api/v1/clusters", { metadata: { name }, spec: {} });
    const { token: joinToken }: { readonly token: string } = JSON.parse(
      await this.#post(`/api/v1/clusters/${name}/join-tokens`),
    );
    return { name, joinToken, target: { ...this.#api, prefix: `/clusters/${name}` } };
  }

  /** The sum of a metric, whatever its labels. */
  async metric(name: string): Promise<number> {
    const lines = (await ask(this.#api, { path: "/metrics" })).split("\n");
    return lines
      .filter((line) => line.startsWith(name) && /^[ {]/u.test(line.slice(name.length)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned[Symbol.asyncDispose]();
  }

  #post(path: string, body?: object): Promise<string> {
    return ask(this.#api, { method: "POST", path, ...(body === undefined ? {} : { body }) });
  }
}

async function adminToken(folder: string): Promise<string> {
  return (await readFile(join(folder, "admin.token"), "utf8")).trim();
}

export type ServerTarget = Target & { readonly ca: string; readonly token: string };

export interface NewCluster {
  readonly name: string;
  readonly target: Target;
  readonly joinToken: string;
}

interface Opened {
  readonly pid: number;
  readonly folder: string;
  readonly api: ServerTarget;
  readonly owned: AsyncDisposable;
}
