/** PEM text, or the file it is read from again and again because it may be renewed. */
export type PemSource = { readonly pem: string } | { readonly file: string };

/** How a client proves who it is, beside a client certificate. */
export type AuthSource =
  | { readonly type: "none" }
  | { readonly type: "token"; readonly token: string }
  | { readonly type: "tokenFile"; readonly file: string }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "exec"; readonly plugin: ExecPlugin };

export type ExecApiVersion = "client.authentication.k8s.io/v1" | "client.authentication.k8s.io/v1beta1";

/** A program that prints credentials, as the `exec` part of a kubeconfig user describes it. */
export interface ExecPlugin {
  readonly apiVersion: ExecApiVersion;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  readonly provideClusterInfo: boolean;
  /** The cluster's extension for the plugin, passed on as the kubeconfig has it. */
  readonly clusterConfig?: unknown;
  /** Shown when the program is not installed. */
  readonly installHint?: string;
}

export interface Impersonation {
  readonly user?: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** All that is needed to reach one cluster as somebody. A plain value; it may hold secrets, so it is never logged. */
export interface ClusterConnection {
  /** The context it came from: what a person calls it. */
  readonly name: string;
  /** The user entry it came from, for messages. */
  readonly user?: string;
  readonly server: string;
  readonly namespace: string;
  readonly ca?: PemSource;
  readonly insecureSkipVerify: boolean;
  readonly tlsServerName?: string;
  readonly clientCertificate?: { readonly cert: PemSource; readonly key: PemSource };
  readonly auth: AuthSource;
  readonly impersonate?: Impersonation;
  readonly proxyUrl?: string;
}
