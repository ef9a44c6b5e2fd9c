import { any, choose, not, value, type Expression } from "../template/expression.ts";
import { more, when, type Template, type When } from "../template/template.ts";
import { certificateName, usesCertManager, usesPostgres } from "./installation-names.ts";

/** Where the server finds its volumes. */
export const folders = {
  data: "/var/lib/bowline",
  database: "/etc/bowline/database",
  nats: "/etc/bowline/nats",
  encryption: "/etc/bowline/encryption",
  admin: "/etc/bowline/admin",
  tls: "/etc/bowline/tls",
} as const;

/** For the group of the server, and nobody else. */
const secretMode = 0o440;

/** All volumes of a pod, but the one that a StatefulSet claims for SQLite. */
export const serverVolumes: readonly Template[] = [
  { name: "tmp", emptyDir: { sizeLimit: value("temporaryStorage.tmp") } },
  when(usesPostgres, { name: "data", emptyDir: { sizeLimit: value("temporaryStorage.data") } }),
  fromKey("database", "database.postgres", "url"),
  when(value("nats.existingSecret"), {
    name: "nats",
    secret: { secretName: value("nats.existingSecret"), defaultMode: secretMode },
  }),
  fromKey("encryption", "encryption", "keys"),
  fromKey("admin", "adminToken", "token"),
  when(any(value("tls.existingSecret"), usesCertManager), {
    name: "tls",
    secret: { secretName: tlsSecret(), defaultMode: secretMode },
  }),
  more(value("extraVolumes")),
];

/** Of a Secret that may hold more, the one key that is needed. */
function fromKey(name: string, values: string, path: string): When {
  const secretName = value(`${values}.existingSecret`);
  const items = [{ key: value(`${values}.key`), path }];
  return when(secretName, { name, secret: { secretName, items, defaultMode: secretMode } });
}

function tlsSecret(): Expression {
  return choose(not(usesCertManager), value("tls.existingSecret"), certificateName);
}
