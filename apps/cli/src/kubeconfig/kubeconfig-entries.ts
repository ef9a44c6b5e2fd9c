import { BowlineError } from "@bowline/core";

import type { ConnectionChoice } from "../connection/choose-connection.ts";
import type { ExecCommand } from "./credential-program.ts";

/** One entry in each of the three lists of a kubeconfig. */
export interface KubeconfigEntries {
  readonly clusters: readonly { readonly name: string; readonly cluster: ClusterEndpoint }[];
  readonly users: readonly { readonly name: string; readonly user: { readonly exec: ExecPlugin } }[];
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string };
  }[];
}

interface ClusterEndpoint {
  readonly server: string;
  readonly "certificate-authority-data"?: string;
}

interface ExecPlugin extends ExecCommand {
  readonly apiVersion: typeof execApiVersion;
  readonly interactiveMode: "Never";
  readonly provideClusterInfo: false;
  readonly installHint: string;
}

interface EntriesOptions {
  readonly connection: Pick<ConnectionChoice, "server" | "context">;
  /** The authorities of the server; those of the machine if left out. */
  readonly caPem: string | undefined;
  readonly clusters: readonly string[];
  /** How kubectl gets the token. */
  readonly credential: ExecCommand;
}

/**
 * The version of the agreement between kubectl and the programs it asks for a token. A kubectl before 1.22 does not know
 * `v1`; every later one knows both.
 */
export const execApiVersion = "client.authentication.k8s.io/v1beta1";

/** The name that kubectl has for a cluster that it reaches through Bowline. */
export function kubeContextName(cluster: string): string {
  return `bowline-${cluster}`;
}

/** One user for all clusters of a server, as it is one token; a context and an endpoint for each cluster. */
export function kubeconfigEntries(options: EntriesOptions): KubeconfigEntries {
  const { connection, caPem, clusters, credential } = options;
  const address = requireTls(connection.server);
  const user = `bowline-${connection.context?.name ?? address.host}`;
  return {
    clusters: clusters.map((cluster) => ({
      name: kubeContextName(cluster),
      cluster: { server: clusterEndpoint(address, cluster), ...authority(caPem) },
    })),
    users: [{ name: user, user: { exec: execPlugin(credential) } }],
    contexts: clusters.map((cluster) => ({
      name: kubeContextName(cluster),
      context: { cluster: kubeContextName(cluster), user },
    })),
  };
}

/** Without TLS kubectl leaves out the token, and whoever gets the answer of that wonders why. */
function requireTls(server: string): URL {
  const address = URL.parse(server);
  if (address?.protocol === "https:") return address;
  throw new BowlineError(
    "InvalidArgument",
    `kubectl sends a token over https only, and the server is ${server}; log in to its https address.`,
  );
}

function clusterEndpoint({ origin, pathname }: URL, cluster: string): string {
  return `${origin}${pathname.replace(/\/+$/u, "")}/clusters/${cluster}`;
}

function authority(caPem: string | undefined): Pick<ClusterEndpoint, "certificate-authority-data"> {
  return caPem === undefined ? {} : { "certificate-authority-data": Buffer.from(caPem).toString("base64") };
}

/** A user that is whoever the program says. */
export function execPlugin({ command, args, env }: ExecCommand): ExecPlugin {
  return {
    apiVersion: execApiVersion,
    command,
    args,
    env,
    interactiveMode: "Never",
    provideClusterInfo: false,
    installHint:
      "bowline, which gives kubectl its token, is not where it was; install it, or write this file again with `bowline kubeconfig --merge`.",
  };
}
