import { readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

import { programFiles, type ImageOptions, type TarEntry } from "@bowline/packaging";
import { busyboxRoot } from "@bowline/test-cluster";
import { natsProgram, postgresProgram, requireProgram } from "@bowline/test-services";

export const postgresImageName = "localhost/postgres:1";
export const natsImageName = "localhost/nats:1";
/** Neither of them runs as root; PostgreSQL would refuse to. */
export const serviceUser = 65_533;

const dataFolder = "/data";

/** Makes its database at the start, for the user `postgres` with the password in the environment. */
const startPostgres = `set -e
folder=${dataFolder}/postgres
echo "$PASSWORD" > ${dataFolder}/password
initdb --pgdata=$folder --username=postgres --pwfile=${dataFolder}/password --auth=scram-sha-256 --no-locale --encoding=UTF8
echo "host all all all scram-sha-256" >> $folder/pg_hba.conf
exec postgres -D $folder -c listen_addresses='*' -c unix_socket_directories=/tmp
`;

/** PostgreSQL of this machine as an image. */
export async function postgresImage(): Promise<ImageOptions> {
  const folder = dirname(await realpath(await requireProgram(postgresProgram)));
  const root = dirname(folder);
  const programs = ["postgres", "initdb", "pg_isready"].map((name) => join(folder, name));
  const files = await Promise.all([
    ...programs.map((path) => programFiles(path, path.slice(1))),
    // Compilers of queries are not needed, and large.
    folderFiles(join(root, "lib"), (path) => path.endsWith(".so") && !path.includes("llvm")),
    folderFiles(root.replace("/lib/", "/share/"), (path) => !path.includes("/man/")),
  ]);
  return serviceImage(postgresImageName, {
    files: files.flat(),
    path: folder,
    entrypoint: ["sh", "-c", startPostgres],
  });
}

/** nats-server of this machine as an image, with JetStream. */
export async function natsImage(): Promise<ImageOptions> {
  const program = await requireProgram(natsProgram);
  const entrypoint = [program, "--addr=0.0.0.0", "--jetstream", `--store_dir=${dataFolder}/jetstream`];
  const files = await programFiles(program, program.slice(1));
  return serviceImage(natsImageName, { files, path: dirname(program), entrypoint });
}

interface ServiceFiles {
  readonly files: readonly TarEntry[];
  readonly path: string;
  readonly entrypoint: readonly string[];
}

async function serviceImage(name: string, { files, path, entrypoint }: ServiceFiles): Promise<ImageOptions> {
  const root = (await busyboxRoot()).filter(({ path: each }) => each !== "etc/passwd");
  const passwd = `root:x:0:0:root:/root:/bin/sh\npostgres:x:${serviceUser}:${serviceUser}::/tmp:/bin/sh\n`;
  const user: TarEntry = { type: "file", path: "etc/passwd", content: Buffer.from(passwd) };
  const byPath = new Map([...root, user, ...files].map((entry) => [entry.path, entry]));
  return { name, layers: [[...byPath.values()]], entrypoint, env: { PATH: `${path}:/bin`, TZ: "GMT" } };
}

async function folderFiles(folder: string, isWanted: (path: string) => boolean): Promise<TarEntry[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    paths.filter(isWanted).map(async (path): Promise<TarEntry> => {
      return { type: "file", path: path.slice(1), content: await readFile(path), mode: 0o755 };
    }),
  );
}
