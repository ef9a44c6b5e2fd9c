import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { newEncryptionKey } from "../../maintenance/encryption-keys.ts";
import { tempFolder } from "../../run/testing/start-test-server.ts";
import { ReconcileRecord } from "./reconcile-record.ts";
import { ServerProcess } from "./server-process.ts";
import type { Scene } from "./under-load.ts";

export interface Backends {
  readonly databaseUrl: string;
  /** Keys are handed over within each process when not given. */
  readonly natsUrl?: string;
  /** More flags, by the name of the server. */
  readonly flags?: (name: string) => Readonly<Record<string, string>>;
}

export interface Servers extends Pick<Scene, "token" | "record"> {
  readonly servers: readonly ServerProcess[];
}

/** Servers that share a database, and whatever else they are given; all are started at the same moment. */
export async function startServers(
  names: readonly string[],
  { databaseUrl, natsUrl, flags: more = () => ({}) }: Backends,
): Promise<Servers> {
  const record = new ReconcileRecord();
  const keysFile = join(await tempFolder(), "encryption.keys");
  await writeFile(keysFile, newEncryptionKey());
  const flags = {
    "--database-url": databaseUrl,
    "--encryption-keys-file": keysFile,
    ...(natsUrl === undefined ? {} : { "--nats-url": natsUrl }),
  };
  const servers = await Promise.all(
    names.map(async (name) =>
      ServerProcess.create({
        name,
        dataFolder: await tempFolder(),
        flags: { ...flags, ...more(name) },
        record,
      }),
    ),
  );
  await Promise.all(servers.map((server) => server.start()));
  return { servers, record, token: await adminToken(servers) };
}

/** One of the servers that start at once makes the admin. */
export async function adminToken(servers: readonly ServerProcess[]): Promise<string> {
  const files = servers.map(({ dataFolder }) => join(dataFolder, "admin.token"));
  const file = files.find((each) => existsSync(each)) ?? "";
  return (await readFile(file, "utf8")).trim();
}
