import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createClient, type Client } from "@bowline/client";
import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { createTempFolder, freePort, startPostgres } from "@bowline/test-services";
import { onTestFinished } from "vitest";

import { startBowline, type BowlineProcess } from "./bowline-process.ts";
import { runBowline, type Ran } from "./run-bowline.ts";

/** Where a server keeps what it remembers. */
export interface ServerPlace {
  readonly data: string;
  /** More flags of the server, and of the commands for one that is stopped. */
  readonly flags: readonly string[];
}

/** A server as a process that can be killed and come back from a backup in another place, at the same address. */
export class MovedServer {
  readonly folder: string;
  readonly #port: number;
  #process: BowlineProcess | undefined;
  #first: ServerPlace | undefined;
  #token = "";

  static async create(): Promise<MovedServer> {
    const temp = await createTempFolder("moved-server");
    onTestFinished(() => temp[Symbol.asyncDispose]());
    return new MovedServer(temp.path, await freePort());
  }

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.#port = port;
  }

  /** A place with nothing in it but the keys of the first server, where there is one. */
  async place(name: string, type: "sqlite" | "postgres"): Promise<ServerPlace> {
    const data = join(this.folder, name);
    await mkdir(data, { mode: 0o700 });
    if (this.#first !== undefined) {
      await copyFile(join(this.#first.data, "encryption.keys"), join(data, "encryption.keys"));
    }
    if (type === "sqlite") return { data, flags: ["--data", data] };
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const urlFile = join(this.folder, `${name}.url`);
    await writeFile(urlFile, postgres.url);
    return { data, flags: ["--data", data, "--database-url-file", urlFile] };
  }

  async start(place: ServerPlace): Promise<void> {
    const flags = ["--listen", `127.0.0.1:${this.#port}`, "--log-level", "warn", ...place.flags];
    this.#process = await startBowline(["server", ...flags], { readyText: "listens on" });
    if (this.#first !== undefined) return;
    this.#first = place;
    this.#token = (await readFile(join(place.data, "admin.token"), "utf8")).trim();
    await copyFile(join(place.data, "tls", "ca.crt"), this.#caFile);
  }

  async kill(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#process?.exited;
  }

  get log(): string {
    return this.#process?.log ?? "";
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** A command of the admin, with the token and the CA of the first server. */
  run(args: readonly string[], stdin = ""): Promise<Ran> {
    const environment = {
      HOME: this.folder,
      BOWLINE_SERVER: this.url,
      BOWLINE_TOKEN: this.#token,
      BOWLINE_CA_FILE: this.#caFile,
    };
    return runBowline(args, { environment, stdin });
  }

  async client(): Promise<Client> {
    const client = createClient({
      server: this.url,
      token: this.#token,
      caPem: await readFile(this.#caFile, "utf8"),
    });
    onTestFinished(() => client.close());
    return client;
  }

  /** A simulated cluster `edge` that the admin may use, with an agent as a process. */
  async addCluster(): Promise<Kubesim> {
    const sim = await startKubesim({ nodes: 1 });
    onTestFinished(() => sim.stop());
    const { code, error } = await this.run(["apply", "-f", "-"], edgeManifest);
    if (code !== 0) throw new Error(error);
    const joinToken = (await (await this.client()).createJoinToken("edge")).token;
    const kubeconfig = join(this.folder, "kubeconfig");
    await writeFile(kubeconfig, sim.kubeconfig());
    const flags = ["--kubeconfig", kubeconfig, "--health-listen", "127.0.0.1:0", "--log-level", "warn"];
    await startBowline(["agent", ...flags], {
      environment: { HOME: this.folder, BOWLINE_JOIN_TOKEN: joinToken },
      readyText: "is the agent of",
    });
    return sim;
  }

  get #caFile(): string {
    return join(this.folder, "ca.crt");
  }
}

/** What is needed to reach it. */
export const edgeManifest = `apiVersion: bowline.dev/v1
kind: Cluster
metadata: { name: edge }
spec: {}
---
apiVersion: bowline.dev/v1
kind: AccessGrant
metadata: { name: all }
spec:
  subjects: [{ user: admin }]
  clusters: { names: [edge] }
  kubernetes: { groups: ["system:masters"] }
---
apiVersion: bowline.dev/v1
kind: Credential
metadata: { name: git }
spec: { type: opaque, data: { password: canary } }
`;
