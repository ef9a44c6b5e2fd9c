import type { Environment, LogLevel } from "@bowline/core";

/** Everything the operator is told where it runs. */
export interface OperatorConfig {
  /** Undefined for the ServiceAccount of the pod. */
  readonly kubeconfig:
    | { readonly paths: readonly string[]; readonly context: string | undefined }
    | undefined;
  /** Without a tag. */
  readonly collectorImage: string;
  /** Another operator whose custom resources are worked on as well. */
  readonly compat: "grafana-agent" | undefined;
  /** Where to look; undefined for the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
  readonly leaderElection: boolean;
  /** Undefined for the namespace of the connection. */
  readonly leaseNamespace: string | undefined;
  readonly concurrency: number;
  /** Whether targets are counted. */
  readonly expectedTargets: boolean;
  readonly health: { readonly host: string; readonly port: number };
  readonly logLevel: LogLevel;
  /** For exec plugins and the ServiceAccount. */
  readonly environment: Environment;
}
