import type { ImageOptions, TarEntry } from "@bowline/packaging";

import { natsImage, postgresImage } from "../real-cluster/testing/installed/service-images.ts";

const dataFolder = "var/lib/postgresql/data";

/**
 * What the image of PostgreSQL promises: a database and a superuser as the variables name them, with the password in a
 * file that root alone may be able to read, in the volume.
 */
const startPostgres = `set -e
folder=/${dataFolder}
as_postgres() { su postgres -c "PATH=$PATH; $1"; }
if [ ! -f $folder/PG_VERSION ]; then
  cat "$POSTGRES_PASSWORD_FILE" > /tmp/password
  chown postgres /tmp/password $folder
  chmod 700 $folder
  as_postgres "initdb --pgdata=$folder --username=$POSTGRES_USER --pwfile=/tmp/password --auth=scram-sha-256 --no-locale --encoding=UTF8"
  echo "host all all all scram-sha-256" >> $folder/pg_hba.conf
  as_postgres "echo 'CREATE DATABASE $POSTGRES_DB' | postgres --single -D $folder postgres"
fi
exec su postgres -c "PATH=$PATH; exec postgres -D $folder -c listen_addresses='*' -c unix_socket_directories=/tmp"
`;

/** PostgreSQL of this machine in the place of the image of that name, which cannot be pulled. */
export async function postgresForCompose(name: string): Promise<ImageOptions> {
  const image = await postgresImage();
  const folders = dataFolder.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/"));
  const [files = []] = image.layers;
  const known = new Set(files.map(({ path }) => path));
  const missing = folders.filter((path) => !known.has(path));
  const added = missing.map((path): TarEntry => ({ type: "folder", path }));
  return { ...image, name, layers: [[...files, ...added]], entrypoint: ["sh", "-c", startPostgres] };
}

/** NATS of this machine in the place of that image, which takes the arguments of the server. */
export async function natsForCompose(name: string): Promise<ImageOptions> {
  const image = await natsImage();
  return { ...image, name, entrypoint: (image.entrypoint ?? []).slice(0, 1) };
}
