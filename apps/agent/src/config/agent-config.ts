import type { Environment, LogLevel } from "@bowline/core";

export const logFormats = ["json", "text"] as const;

type LogFormat = (typeof logFormats)[number];

/** Everything the agent is told where it runs. */
export interface AgentConfig {
  /** Undefined where the agent has joined before. */
  readonly joinToken: string | undefined;
  /** In place of those that the join token named; empty for those. */
  readonly servers: readonly string[];
  /** In place of the CA that the join token named. */
  readonly serverCaPem: string | undefined;
  /** Undefined for the ServiceAccount of the pod. */
  readonly kubeconfig:
    | { readonly paths: readonly string[]; readonly context: string | undefined }
    | undefined;
  /** The folder for the identity; undefined for a Secret, or a folder of the context below `dataHome`. */
  readonly data: string | undefined;
  readonly dataHome: string;
  readonly secretName: string;
  /** Where the Lease is by which the agents of a cluster agree on who reports; undefined where this is the only one. */
  readonly leaseNamespace: string | undefined;
  readonly instance: string;
  readonly health: { readonly host: string; readonly port: number };
  readonly maxStreams: number;
  readonly drainTimeMs: number;
  /** Undefined: `info`, or what the server says. */
  readonly logLevel: LogLevel | undefined;
  /** Undefined: lines for people at a terminal, else JSON. */
  readonly logFormat: LogFormat | undefined;
  /** For proxies, exec plugins and the ServiceAccount. */
  readonly environment: Environment;
}
