import { dirname, resolve } from "node:path";
import { BowlineError } from "@bowline/core";
import type { AuthSource, ClusterConnection, Impersonation, PemSource } from "./cluster-connection.ts";
import { ConfigNode } from "./config-node.ts";
import type { Kubeconfig } from "./parse-kubeconfig.ts";
import { execPlugin } from "./resolve-exec-plugin.ts";

/** Puts together what a context names: its cluster, its user, its namespace. */
export function resolveContext(config: Kubeconfig, wanted: string | undefined): ClusterConnection {
  const name = wanted ?? config.currentContext;
  const context = name === undefined ? undefined : config.contexts.get(name);
  if (name === undefined || context === undefined) throw unknownContext(config, name);
  const cluster = referred(context.field("cluster"), config.clusters);
  const userName = context.field("user").optionalText();
  const user =
    userName === undefined
      ? new ConfigNode(undefined, context.file)
      : referred(context.field("user"), config.users);
  return {
    name,
    ...(userName === undefined ? {} : { user: userName }),
    namespace: context.field("namespace").optionalText() ?? "default",
    ...clusterPart(cluster),
    ...userPart(user, cluster),
  };
}

function unknownContext(config: Kubeconfig, name: string | undefined): BowlineError {
  const known = [...config.contexts.keys()];
  const choice =
    known.length === 0 ? "the kubeconfig has no contexts" : `there are: ${known.slice(0, 20).join(", ")}`;
  const what =
    name === undefined
      ? "No context is chosen and there is no current-context"
      : `There is no context "${name}"`;
  return new BowlineError("KubeContextUnknown", `${what}; ${choice}.`, { details: { context: name, known } });
}

function referred(reference: ConfigNode, entries: ReadonlyMap<string, ConfigNode>): ConfigNode {
  const name = reference.text();
  const entry = entries.get(name);
  if (entry === undefined) throw reference.error(`is "${name}", which no kubeconfig file defines`);
  return entry;
}

type ClusterPart = Pick<
  ClusterConnection,
  "server" | "ca" | "insecureSkipVerify" | "tlsServerName" | "proxyUrl"
>;

function clusterPart(cluster: ConfigNode): ClusterPart {
  const ca = pem(cluster, "certificate-authority");
  const tlsServerName = cluster.field("tls-server-name").optionalText();
  const proxyUrl = cluster.field("proxy-url");
  const insecure = cluster.field("insecure-skip-tls-verify");
  if (insecure.flag() && ca !== undefined) {
    throw insecure.error("is true although a certificate-authority is given; remove one of them");
  }
  return {
    server: httpUrl(cluster.field("server")),
    insecureSkipVerify: insecure.flag(),
    ...(ca === undefined ? {} : { ca }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl.optionalText() === undefined ? {} : { proxyUrl: httpUrl(proxyUrl) }),
  };
}

type UserPart = Pick<ClusterConnection, "clientCertificate" | "auth" | "impersonate">;

function userPart(user: ConfigNode, cluster: ConfigNode): UserPart {
  const cert = pem(user, "client-certificate");
  const key = pem(user, "client-key");
  if (cert !== undefined && key === undefined) throw user.error("has a client-certificate but no client-key");
  const impersonate = impersonation(user);
  return {
    auth: authSource(user, cluster),
    ...(cert === undefined || key === undefined ? {} : { clientCertificate: { cert, key } }),
    ...(impersonate === undefined ? {} : { impersonate }),
  };
}

/** In the order kubectl prefers them when a user entry has several. */
function authSource(user: ConfigNode, cluster: ConfigNode): AuthSource {
  const tokenFile = user.field("tokenFile").optionalText();
  if (tokenFile !== undefined) return { type: "tokenFile", file: besideConfig(user, tokenFile) };
  const token = user.field("token").optionalText();
  if (token !== undefined) return { type: "token", token };
  const username = user.field("username").optionalText();
  if (username !== undefined) {
    return { type: "basic", username, password: user.field("password").optionalText() ?? "" };
  }
  const exec = user.field("exec");
  if (!exec.isMissing) return { type: "exec", plugin: execPlugin(exec, cluster) };
  const provider = user.field("auth-provider");
  if (!provider.isMissing)
    throw provider.error("is no longer supported by Kubernetes; use an exec plugin instead");
  return { type: "none" };
}

function impersonation(user: ConfigNode): Impersonation | undefined {
  const name = user.field("as").optionalText();
  const uid = user.field("as-uid").optionalText();
  const groups = user
    .field("as-groups")
    .items()
    .map((group) => group.text());
  const extra = user
    .field("as-user-extra")
    .entries()
    .map(([key, values]) => [key, values.items().map((value) => value.text())] as const);
  if (name === undefined && (uid !== undefined || groups.length > 0 || extra.length > 0)) {
    throw user.error("impersonates groups without a user; set as");
  }
  if (name === undefined) return undefined;
  return { user: name, groups, extra: Object.fromEntries(extra), ...(uid === undefined ? {} : { uid }) };
}

/** `<field>-data` holds base64 of PEM and goes before `<field>`, which names a file. */
function pem(entry: ConfigNode, field: string): PemSource | undefined {
  const data = entry.field(`${field}-data`);
  const encoded = data.optionalText();
  if (encoded !== undefined) {
    const text = Buffer.from(encoded, "base64").toString("utf8");
    if (!text.includes("-----BEGIN ")) throw data.error("is not base64 of PEM");
    return { pem: text };
  }
  const file = entry.field(field).optionalText();
  return file === undefined ? undefined : { file: besideConfig(entry, file) };
}

function besideConfig(entry: ConfigNode, path: string): string {
  return resolve(dirname(entry.file), path);
}

function httpUrl(node: ConfigNode): string {
  const text = node.text();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw node.error("must be a URL that starts with https:// or http://");
  }
  return text;
}
