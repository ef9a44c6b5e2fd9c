import {
  address,
  duration,
  integer,
  logSettings,
  namespaceName,
  onOff,
  path,
  settingTable,
  text,
  urlList,
  type SettingType,
  type ValuesOf,
} from "@bowline/program";

/** A token may come from a file that an editor or `echo` has ended with a line break. */
const token: SettingType<string> = {
  placeholder: "TOKEN",
  expects: "a join token",
  parse: (given) => (given.trim() === "" ? undefined : given.trim()),
};

/**
 * Every setting of the agent, once: the flags, the variables, the help and `docs/reference/agent.md` are made from it.
 *
 * The command line reads this table before it knows whether an agent is wanted: nothing heavy may be imported here.
 */
export const agentSettings = settingTable(
  {
    joinToken: {
      type: token,
      secret: "whole",
      fileMayBeGone: true,
      description:
        "The join token, needed once. A file that is gone counts as no token: an agent that has joined needs none.",
    },
    servers: {
      type: urlList(["https:"], "https://bowline.example.com"),
      otherwise: "those that the join token named",
      description: "Where the server is now, when it is not where the join token says. The best comes first.",
    },
    serverCaFile: {
      type: path,
      otherwise: "the CA that the join token named",
      description: "PEM certificates of the CAs to trust in place of the one that the join token names.",
    },
    kubeconfig: {
      type: path,
      variable: "KUBECONFIG",
      otherwise: "`~/.kube/config`; in a pod, its ServiceAccount",
      description:
        "How to reach the cluster from outside. It may use tokens, token files, client certificates and exec plugins.",
    },
    kubeContext: {
      type: { ...text, placeholder: "NAME" },
      otherwise: "the current one",
      description: "The context in the kubeconfig. It must not impersonate anybody.",
    },
    data: {
      type: { ...path, placeholder: "FOLDER" },
      variable: "BOWLINE_AGENT_DATA",
      otherwise: "in a pod a Secret, else a folder of the context below `~/.local/share/bowline/agents`",
      description: "The folder in which the identity is kept.",
    },
    secretName: {
      type: { ...text, placeholder: "NAME" },
      variable: "BOWLINE_AGENT_SECRET",
      default: "bowline-agent",
      description: "The Secret of its own namespace in which an agent in a pod keeps its identity.",
    },
    leaseNamespace: {
      type: namespaceName,
      otherwise: "in a pod its own namespace; with a kubeconfig none: such an agent is the only one",
      description: "Where the Lease `bowline-agent` is, whose holder reports of several agents.",
    },
    instance: {
      type: { ...text, placeholder: "ID" },
      otherwise: "a random one",
      description: "Tells the agents of one cluster apart, such as the UID of the pod.",
    },
    observeSecrets: {
      type: onOff,
      default: "off",
      description:
        "Whether Secrets are observed: their names and labels, never their values. While it is off no Secret is listed, whatever the agent's rights.",
    },
    healthListen: {
      type: address,
      otherwise: "`127.0.0.1:8081`; in a pod `0.0.0.0:8081`",
      description: "Where /livez, /healthz, /readyz and /metrics are.",
    },
    maxStreams: {
      type: integer(1, 100_000),
      default: "1024",
      description: "How many requests may be under way at once, unless the server says otherwise.",
    },
    drainTime: {
      type: duration("0s", "24h", { bareSeconds: true }),
      default: "20s",
      description: "How long requests may take to finish after SIGTERM; a bare number is in seconds.",
    },
    log: {
      ...logSettings,
      level: {
        type: logSettings.level.type,
        otherwise: "`info`, or what the server says",
        description: "The least important lines to log. A level given here wins over the server.",
      },
    },
  },
  { page: "docs/reference/agent.md" },
);

export type AgentValues = ValuesOf<typeof agentSettings.settings>;
