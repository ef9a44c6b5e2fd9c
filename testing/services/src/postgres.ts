import { randomBytes } from "node:crypto";
import { chown, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { freePort } from "./free-port.ts";
import { ManagedProcess } from "./managed-process.ts";
import { requireProgram } from "./require-program.ts";
import { runCommand } from "./run-command.ts";
import { createTempFolder } from "./temp-folder.ts";
import { postgresProgram } from "./test-programs.ts";
import { unprivilegedUser, type UserIds } from "./unprivileged-user.ts";

export interface PostgresOptions {
  /** Flushes every commit to disk as a server in use does; without it a crash may lose data, and commits are fast. */
  readonly durable?: boolean;
}

export interface PostgresServer extends AsyncDisposable {
  /** `postgres://postgres:<password>@127.0.0.1:<port>/postgres`, a superuser. */
  readonly url: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The folder of the Unix socket: what libpq takes as a host. */
  readonly socketFolder: string;
  /** The folder of the server's programs, `psql` among them. */
  readonly programFolder: string;
  /** The last lines the server printed since it was started last. */
  logs(): string[];
  /**
   * Ends its processes and keeps its files: `fast` sends clients away and writes everything down, `immediate` is a crash
   * that the next start recovers from.
   */
  halt(mode: keyof typeof haltSignals): Promise<void>;
  /** After `halt`: goes on with what it had, at the same address. */
  resume(): Promise<void>;
  /** Idempotent: ends every process and removes every file. */
  stop(): Promise<void>;
}

const haltSignals = { fast: "SIGINT", immediate: "SIGQUIT" } as const;
const user = "postgres";
const database = "postgres";

/** A PostgreSQL of its own on a free port of loopback, which gives up durability for speed unless told otherwise. */
export async function startPostgres({ durable = false }: PostgresOptions = {}): Promise<PostgresServer> {
  const binary = await requireProgram(postgresProgram);
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("postgres")).path;
  const runAs = await unprivilegedUser(["postgres", "nobody"]);
  if (runAs) await chown(folder, runAs.uid, runAs.gid);
  const password = randomBytes(16).toString("hex");
  const dataFolder = await createDatabaseCluster(join(dirname(binary), "initdb"), folder, password, runAs);
  const port = await freePort();
  const settings = { ...(durable ? {} : volatileSettings), port, unix_socket_directories: folder };
  const launch = (): Promise<ManagedProcess> =>
    ManagedProcess.start({
      name: "postgres",
      command: binary,
      args: ["-D", dataFolder, ...settingArgs({ ...settings, listen_addresses: "127.0.0.1" })],
      env: serverEnvironment,
      cwd: folder,
      ...runAs,
      isReady: () => saysReady(dataFolder),
      // SIGTERM would wait for clients to leave; this one sends them away.
      stopSignal: haltSignals.fast,
    });
  let server = await launch();
  starting.defer(() => server.stop());
  const owned = starting.move();
  const stop = (): Promise<void> => owned.disposeAsync();
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
    port,
    user,
    password,
    database,
    socketFolder: folder,
    programFolder: dirname(binary),
    logs: () => server.lastLines(),
    async halt(mode) {
      process.kill(server.pid, haltSignals[mode]);
      await server.exited;
    },
    async resume() {
      server = await launch();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const volatileSettings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
};

/** No PG* variable of the caller's; a fixed locale, so that sorting is the same on every machine. */
const serverEnvironment = { LC_ALL: "C.UTF-8", PATH: process.env["PATH"] };

function settingArgs(settings: Record<string, string | number>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

async function createDatabaseCluster(
  initdb: string,
  folder: string,
  password: string,
  runAs: UserIds | undefined,
): Promise<string> {
  const dataFolder = join(folder, "data");
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (runAs) await chown(passwordFile, runAs.uid, runAs.gid);
  await runCommand({
    command: initdb,
    args: [
      `--pgdata=${dataFolder}`,
      `--username=${user}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--no-sync",
      "--no-instructions",
    ],
    env: serverEnvironment,
    cwd: folder,
    ...runAs,
  });
  return dataFolder;
}

/** The eighth line of postmaster.pid is the server's own word on its state; pg_ctl goes by it too. */
async function saysReady(dataFolder: string): Promise<boolean> {
  const lines = (await readFile(join(dataFolder, "postmaster.pid"), "utf8")).split("\n");
  return lines[7]?.trim() === "ready";
}
