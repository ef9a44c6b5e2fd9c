/**
 * Every setting of the agent, once: a flag, `--join-token-file`, and a variable, `BOWLINE_JOIN_TOKEN_FILE`. The command
 * line reads this table before it knows whether an agent is wanted: nothing may be imported here.
 */
export interface AgentSetting {
  /** Without `--`; undefined for a secret, because other users of a machine can read the flags of a process. */
  readonly flag?: string;
  readonly variable: string;
  /** What the help shows after the flag. */
  readonly placeholder: string;
  /** One sentence, without a full stop. */
  readonly description: string;
  /** As a person would write it. */
  readonly default?: string;
}

export const agentSettings = {
  joinToken: {
    variable: "BOWLINE_JOIN_TOKEN",
    placeholder: "TOKEN",
    description: "The join token; needed once",
  },
  joinTokenFile: {
    flag: "join-token-file",
    variable: "BOWLINE_JOIN_TOKEN_FILE",
    placeholder: "FILE",
    description: "A file with the join token; needed once",
  },
  servers: {
    flag: "servers",
    variable: "BOWLINE_SERVERS",
    placeholder: "URL,URL",
    description: "Where the server is now, when it is not where the join token says",
  },
  serverCaFile: {
    flag: "server-ca-file",
    variable: "BOWLINE_SERVER_CA_FILE",
    placeholder: "FILE",
    description: "PEM certificates of the CAs to trust in place of the one that the join token names",
  },
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
  data: {
    flag: "data",
    variable: "BOWLINE_AGENT_DATA",
    placeholder: "FOLDER",
    description:
      "Where the identity is kept; without it, in a pod in a Secret, else in a folder of its context below ~/.local/share/bowline/agents",
  },
  secretName: {
    flag: "secret-name",
    variable: "BOWLINE_AGENT_SECRET",
    placeholder: "NAME",
    description: "The Secret of its own namespace in which an agent in a pod keeps its identity",
    default: "bowline-agent",
  },
  leaseNamespace: {
    flag: "lease-namespace",
    variable: "BOWLINE_LEASE_NAMESPACE",
    placeholder: "NAMESPACE",
    description:
      "Where the Lease bowline-agent is, whose holder reports of several agents (default: in a pod its own namespace; with a kubeconfig none: such an agent is the only one)",
  },
  instance: {
    flag: "instance",
    variable: "BOWLINE_INSTANCE",
    placeholder: "ID",
    description: "Tells the agents of one cluster apart, such as the UID of the pod (default: a random one)",
  },
  healthListen: {
    flag: "health-listen",
    variable: "BOWLINE_HEALTH_LISTEN",
    placeholder: "HOST:PORT",
    description: "Where /healthz, /readyz and /metrics are (default: 127.0.0.1:8081, in a pod 0.0.0.0:8081)",
  },
  maxStreams: {
    flag: "max-streams",
    variable: "BOWLINE_MAX_STREAMS",
    placeholder: "COUNT",
    description: "How many requests may be under way at once",
    default: "1024",
  },
  drainTime: {
    flag: "drain-time",
    variable: "BOWLINE_DRAIN_TIME",
    placeholder: "SECONDS",
    description: "How long requests may take to finish after SIGTERM",
    default: "20",
  },
  logLevel: {
    flag: "log-level",
    variable: "BOWLINE_LOG_LEVEL",
    placeholder: "LEVEL",
    description:
      "trace, debug, info, warn, error, fatal or silent (default: info, or what the server says; a level given here stays)",
  },
  logFormat: {
    flag: "log-format",
    variable: "BOWLINE_LOG_FORMAT",
    placeholder: "json|text",
    description: "How lines are written to standard error (default: text on a terminal, else json)",
  },
} as const satisfies Readonly<Record<string, AgentSetting>>;
