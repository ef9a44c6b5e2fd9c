/**
 * Every setting of the operator, once: a flag, `--health-listen`, and a variable, `BOWLINE_HEALTH_LISTEN`. The command
 * line reads this table before it knows whether an operator is wanted: nothing may be imported here.
 */
export interface OperatorSetting {
  /** Without `--`. */
  readonly flag: string;
  readonly variable: string;
  /** What the help shows after the flag. */
  readonly placeholder: string;
  /** One sentence, without a full stop. */
  readonly description: string;
  /** As a person would write it. */
  readonly default?: string;
}

export const operatorSettings = {
  kubeconfig: {
    flag: "kubeconfig",
    variable: "KUBECONFIG",
    placeholder: "FILE",
    description: "How to reach the cluster from outside; in a pod, its ServiceAccount is used without it",
  },
  context: {
    flag: "kube-context",
    variable: "BOWLINE_KUBE_CONTEXT",
    placeholder: "NAME",
    description: "The context in the kubeconfig (default: the current one)",
  },
  collectorImage: {
    flag: "collector-image",
    variable: "BOWLINE_COLLECTOR_IMAGE",
    placeholder: "REPOSITORY",
    description: "Where the image of collectors is, without a tag; agents may name one of their own",
    default: "quay.io/prometheus/prometheus",
  },
  compat: {
    flag: "compat",
    variable: "BOWLINE_COMPAT",
    placeholder: "OPERATOR",
    description: "Works on the custom resources of another operator as well, as they are: grafana-agent",
  },
  namespaces: {
    flag: "namespaces",
    variable: "BOWLINE_NAMESPACES",
    placeholder: "NAMES",
    description:
      "Looks into these namespaces only, separated by commas, and needs no rights elsewhere (default: all)",
  },
  leaderElection: {
    flag: "leader-election",
    variable: "BOWLINE_LEADER_ELECTION",
    placeholder: "on|off",
    description: "Whether operators agree on one that works; off only where there is a single one",
    default: "on",
  },
  leaseNamespace: {
    flag: "lease-namespace",
    variable: "BOWLINE_LEASE_NAMESPACE",
    placeholder: "NAME",
    description: "The namespace of the Lease by which they agree (default: the operator's own)",
  },
  concurrency: {
    flag: "concurrency",
    variable: "BOWLINE_CONCURRENCY",
    placeholder: "COUNT",
    description: "How many agents are worked on at the same time",
    default: "4",
  },
  expectedTargets: {
    flag: "expected-targets",
    variable: "BOWLINE_EXPECTED_TARGETS",
    placeholder: "on|off",
    description: "Whether the targets of agents are counted, which takes reading endpoints and perhaps pods",
    default: "on",
  },
  healthListen: {
    flag: "health-listen",
    variable: "BOWLINE_HEALTH_LISTEN",
    placeholder: "HOST:PORT",
    description: "Where /healthz, /readyz and /metrics are (default: 127.0.0.1:8082, in a pod 0.0.0.0:8082)",
  },
  logLevel: {
    flag: "log-level",
    variable: "BOWLINE_LOG_LEVEL",
    placeholder: "LEVEL",
    description: "trace, debug, info, warn, error, fatal or silent",
    default: "info",
  },
} as const satisfies Readonly<Record<string, OperatorSetting>>;
