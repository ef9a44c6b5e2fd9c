import {
  address,
  choice,
  integer,
  list,
  logSettings,
  matching,
  namespaceName,
  onOff,
  path,
  settingTable,
  text,
  type SettingType,
  type ValuesOf,
} from "@bowline/program";

/** Each namespace is watched on its own, with a dozen connections' worth of requests. */
const maxNamespaces = 50;

const namespaces: SettingType<readonly string[]> = {
  ...list,
  placeholder: "NAMES",
  expects: `up to ${maxNamespaces} names of namespaces, separated by commas, such as shop,monitoring`,
  parse(given) {
    const names = [...new Set(list.parse(given))];
    const areNames = names.every((name) => namespaceName.parse(name) !== undefined);
    return names.length > 0 && names.length <= maxNamespaces && areNames ? names : undefined;
  },
};

/**
 * Every setting of the operator, once: the flags, the variables, the help and `docs/reference/operator.md` are made from
 * it.
 *
 * The command line reads this table before it knows whether an operator is wanted: nothing heavy may be imported here.
 */
export const operatorSettings = settingTable(
  {
    kubeconfig: {
      type: path,
      variable: "KUBECONFIG",
      otherwise: "`~/.kube/config`; in a pod, its ServiceAccount",
      description: "How to reach the cluster from outside.",
    },
    kubeContext: {
      type: { ...text, placeholder: "NAME" },
      otherwise: "the current one",
      description: "The context in the kubeconfig.",
    },
    collectorImage: {
      // A tag would end up before the one of the version.
      type: matching(
        /^[\w.-]+(:\d+)?(\/[\w.-]+)*$/u,
        "REPOSITORY",
        "the name of an image without a tag, such as quay.io/prometheus/prometheus",
      ),
      default: "quay.io/prometheus/prometheus",
      description:
        "Where the image of collectors is, without a tag: that is the version. Agents may name one of their own.",
    },
    compat: {
      type: { ...choice("grafana-agent"), placeholder: "OPERATOR" },
      otherwise: "none",
      description: "Works on the custom resources of another operator as well, as they are: `grafana-agent`.",
    },
    namespaces: {
      type: namespaces,
      otherwise: "all",
      description: "Looks into these namespaces only, and needs no rights elsewhere.",
    },
    leaderElection: {
      type: onOff,
      default: "on",
      description: "Whether operators agree on one that works; `off` only where there is a single one.",
    },
    leaseNamespace: {
      type: namespaceName,
      otherwise: "the namespace of the pod or the context",
      description: "The namespace of the Lease `bowline-operator`, by which they agree.",
    },
    concurrency: {
      type: integer(1, 100),
      default: "4",
      description: "How many agents are worked on at the same time.",
    },
    expectedTargets: {
      type: onOff,
      default: "on",
      description:
        "Whether the targets of agents are counted, which takes reading endpoints and perhaps pods.",
    },
    healthListen: {
      type: address,
      otherwise: "`127.0.0.1:8082`; in a pod `0.0.0.0:8082`",
      description: "Where /livez, /healthz, /readyz and /metrics are.",
    },
    log: logSettings,
  },
  { page: "docs/reference/operator.md" },
);

export type OperatorValues = ValuesOf<typeof operatorSettings.settings>;
