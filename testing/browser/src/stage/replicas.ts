import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createClient, type Client } from "@bowline/client";
import { newEncryptionKey } from "@bowline/server";
import { createTempFolder, freePort, ManagedProcess, startPostgres } from "@bowline/test-services";

import { requirePage } from "./built-page.ts";

const program = fileURLToPath(new URL("../../../../apps/cli/src/main.ts", import.meta.url));

interface Replica {
  readonly process: ManagedProcess;
  readonly consolePort: number;
}

/** Two servers on one PostgreSQL, each a process that can be killed, behind one address. */
export class Replicas implements AsyncDisposable {
  /** Of the console: whichever server is there answers. */
  readonly consoleUrl: string;
  readonly admin: Client;
  readonly #replicas: readonly Replica[];
  readonly #balancer: Balancer;
  readonly #owned: AsyncDisposableStack;

  static async start(): Promise<Replicas> {
    await requirePage();
    await using starting = new AsyncDisposableStack();
    const { path: folder } = starting.use(await createTempFolder("console-replicas"));
    const { url: databaseUrl } = starting.use(await startPostgres());
    const keysFile = join(folder, "encryption.keys");
    await writeFile(keysFile, newEncryptionKey(), { mode: 0o600 });
    const replicas: Replica[] = [];
    const addresses: string[] = [];
    for (const name of ["first", "second"]) {
      const [port, consolePort] = [await freePort(), await freePort()];
      const flags = {
        "--data": join(folder, name),
        "--database-url": databaseUrl,
        "--encryption-keys-file": keysFile,
        "--listen": `127.0.0.1:${port}`,
        "--console-listen": `127.0.0.1:${consolePort}`,
        "--log-level": "fatal",
      };
      const replica = await ManagedProcess.start({
        name: `the ${name} server`,
        command: process.execPath,
        args: [program, "server", ...Object.entries(flags).flat()],
        env: { PATH: process.env["PATH"] },
        stopSignal: "SIGKILL",
        isReady: async (signal) => (await fetch(`http://127.0.0.1:${consolePort}/readyz`, { signal })).ok,
        readyTimeoutMs: 60_000,
      });
      starting.use(replica);
      replicas.push({ process: replica, consolePort });
      addresses.push(`https://127.0.0.1:${port}`);
    }
    const balancer = starting.use(await Balancer.start(replicas.map(({ consolePort }) => consolePort)));
    // Of the one that stays.
    const caPem = await readFile(join(folder, "second", "tls", "ca.crt"), "utf8");
    const token = (await readFile(join(folder, "first", "admin.token"), "utf8")).trim();
    const admin = createClient({ server: addresses[1] ?? "", token, caPem });
    starting.defer(() => admin.close());
    return new Replicas({ replicas, balancer, admin }, starting.move());
  }

  private constructor(
    {
      replicas,
      balancer,
      admin,
    }: {
      readonly replicas: readonly Replica[];
      readonly balancer: Balancer;
      readonly admin: Client;
    },
    owned: AsyncDisposableStack,
  ) {
    this.#replicas = replicas;
    this.#balancer = balancer;
    this.admin = admin;
    this.consoleUrl = `http://127.0.0.1:${balancer.port}/ui/`;
    this.#owned = owned;
  }

  /** The first, which all connections go to. */
  async killFirst(): Promise<void> {
    await this.#replicas[0]?.process.stop();
  }

  /** How many connections there are to the server that stays. */
  get connectionsToSecond(): number {
    return this.#balancer.connectionsTo(this.#replicas[1]?.consolePort ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}

/** Passes connections on to the first port that takes them. */
class Balancer implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #open = new Map<Socket, number>();

  static async start(targets: readonly number[]): Promise<Balancer> {
    const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Balancer(server, targets);
  }

  private constructor(server: Server, targets: readonly number[]) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("connection", (incoming) => void this.#pass(incoming, targets));
  }

  connectionsTo(target: number): number {
    return [...this.#open.values()].filter((port) => port === target).length;
  }

  async #pass(incoming: Socket, targets: readonly number[]): Promise<void> {
    incoming.on("error", () => {});
    for (const port of targets) {
      const outgoing = connect(port, "127.0.0.1");
      try {
        await once(outgoing, "connect");
      } catch {
        continue;
      }
      this.#open.set(outgoing, port);
      outgoing
        .on("error", () => {})
        .once("close", () => {
          this.#open.delete(outgoing);
          incoming.destroy();
        });
      incoming
        .once("close", () => outgoing.destroy())
        .pipe(outgoing)
        .pipe(incoming);
      return;
    }
    incoming.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open.keys()) socket.destroy();
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
  }
}
