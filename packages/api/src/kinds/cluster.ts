import type { Static } from "typebox";

import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import { statusOf } from "../bodies/status.ts";
import {
  choice,
  dateTime,
  integer,
  line,
  list,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import { dnsLabel, kubernetesVersion, singleLine, uuid, type TextRule } from "../schema/text-rule.ts";
import type { Problem } from "../validate/report.ts";

const region: TextRule = {
  pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
  expects: "a region such as eu-central-1",
  minLength: 1,
  maxLength: 63,
};

const instanceType: TextRule = {
  pattern: "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
  expects: "an instance type such as m7g.large",
  minLength: 1,
  maxLength: 63,
};

const kindSettings = object("Settings of the provider `kind`.", {
  kubernetesVersion: optional(
    text("The Kubernetes version to run; missing for the newest that kind knows.", kubernetesVersion),
  ),
  nodes: withDefault(
    integer("How many nodes, the control plane among them.", { minimum: 1, maximum: 20 }),
    1,
  ),
});

const nodeGroup = object("Machines of one type.", {
  name: text("Tells the groups of a cluster apart.", dnsLabel),
  instanceType: text("The type of the machines.", instanceType),
  minSize: withDefault(integer("Never fewer machines than this.", { minimum: 0, maximum: 1000 }), 1),
  maxSize: integer("Never more machines than this.", { minimum: 1, maximum: 1000 }),
});

const eksSettings = object("Settings of the provider `eks`; `region` has to be set too.", {
  credential: text("Name of the Credential of type `aws` to use.", dnsLabel),
  kubernetesVersion: optional(
    text("The Kubernetes version to run; missing for what AWS takes by default.", kubernetesVersion),
  ),
  nodeGroups: list("The machines of the cluster.", nodeGroup, {
    minItems: 1,
    maxItems: 20,
    uniqueBy: "name",
  }),
});

const apiGroup: TextRule = {
  pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
  expects: "an API group such as apps or cert-manager.io",
  minLength: 1,
  maxLength: 253,
};

const observedKind = object("A kind of Kubernetes objects.", {
  group: optional(text("The API group; missing for the core group.", apiGroup)),
  version: text("The version of the API, such as v1.", dnsLabel),
  resource: text("The plural name, such as deployments.", dnsLabel),
});

const agentSettings = object("How the agent works. It is told at once when this changes.", {
  logLevel: withDefault(
    choice("The least important lines the agent logs.", ["debug", "info", "warn", "error"]),
    "info",
  ),
  observedKinds: optional(
    list(
      "What the agent observes for the graph besides the kinds that it always does, such as custom resources.",
      observedKind,
      {
        maxItems: 200,
      },
    ),
  ),
  observedNamespaces: optional(
    list("Where the agent watches; missing for all namespaces.", text("A namespace.", dnsLabel), {
      minItems: 1,
      maxItems: 1_000,
      unique: true,
    }),
  ),
  limits: optional(
    object("What the agent may use; what is missing is left to the agent.", {
      maxStreams: optional(
        integer("Requests through its tunnels at the same time.", { minimum: 1, maximum: 100_000 }),
      ),
      maxRequestsPerSecond: optional(
        integer("Requests to the Kubernetes API per second, for its own lists and watches.", {
          minimum: 1,
          maximum: 100_000,
        }),
      ),
    }),
  ),
});

const spec = object("What the cluster should be.", {
  provider: withDefault(
    choice("Where the cluster comes from: it exists already, or Bowline makes it.", [
      "existing",
      "kind",
      "eks",
    ]),
    "existing",
  ),
  region: optional(text("Where the cluster runs, for people and for providers that need it.", region)),
  kind: optional(kindSettings),
  eks: optional(eksSettings),
  agent: optional(agentSettings),
});

type ClusterSpec = Static<typeof spec>;

const agent = object("The agent that holds the connection.", {
  version: line("The version of the agent.", singleLine, 64),
  connectedSince: optional(dateTime("When the session that is open now began; missing while there is none.")),
  lastSeenAt: dateTime(
    "When the agent was last heard from; while it is connected, when something about that last changed.",
  ),
  rttMs: optional(integer("How long a heartbeat takes there and back.", { minimum: 0, maximum: 3_600_000 })),
});

const status = statusOf({
  agent: optional(agent),
  kubernetesVersion: optional(line("The version the cluster says it runs.", singleLine, 64)),
  clusterUid: optional(text("The UID of its `kube-system` namespace, which tells clusters apart.", uuid)),
});

export const Cluster = defineKind({
  kind: "Cluster",
  plural: "clusters",
  shortNames: ["cl"],
  description: "A Kubernetes cluster that Bowline knows: one that exists, or one that it makes.",
  spec,
  status,
  columns: [
    { header: "PROVIDER", path: "spec.provider" },
    { header: "READY", path: "status.conditions.Ready" },
    { header: "AGENT", path: "status.conditions.AgentConnected" },
    { header: "VERSION", path: "status.kubernetesVersion" },
    { header: "REGION", path: "spec.region", wide: true },
    { header: "AGENT-VERSION", path: "status.agent.version", wide: true },
    {
      header: "SINCE",
      path: "status.conditions.AgentConnected.lastTransitionTime",
      format: "age",
      wide: true,
    },
    { header: "REASON", path: "status.conditions.Ready.reason", wide: true },
    { header: "MESSAGE", path: "status.conditions.Ready.message", wide: true },
  ],
  filterable: [
    "metadata.managedBy.configSource",
    "spec.provider",
    "spec.region",
    "status.clusterUid",
    "status.conditions.Ready",
    "status.conditions.AgentConnected",
    "status.conditions.Provisioned",
  ],
  references: [{ field: "spec.eks.credential", kind: "Credential", cascade: "refuse" }],
  immutable: ["spec.provider"],
  conditions: {
    Provisioned: "The cluster exists: its provider has made it, or it existed before.",
    AgentConnected: "The agent in the cluster has a session open.",
    Observed: "Everything that the agent is to observe can be read; Ready does not depend on it.",
    Ready: "The cluster can be worked with.",
  },
  finalizers: ["bowline.dev/deprovision"],
  check: (cluster) => [...settingsProblems(cluster), ...nodeGroupProblems(cluster.eks?.nodeGroups ?? [])],
});
export type Cluster = ObjectOf<typeof Cluster>;

/** Settings of a provider that was not chosen would do nothing, and whoever wrote them expects something. */
function settingsProblems(cluster: ClusterSpec): Problem[] {
  const problems: Problem[] = [];
  for (const provider of ["kind", "eks"] as const) {
    if (cluster[provider] !== undefined && cluster.provider !== provider) {
      problems.push({
        path: `spec.${provider}`,
        message: `is only allowed when spec.provider is ${provider}`,
      });
    }
  }
  if (cluster.provider === "eks" && cluster.eks === undefined) {
    problems.push({ path: "spec.eks", message: "is required when spec.provider is eks" });
  }
  if (cluster.provider === "eks" && cluster.region === undefined) {
    problems.push({ path: "spec.region", message: "is required when spec.provider is eks" });
  }
  return problems;
}

function nodeGroupProblems(groups: Static<typeof eksSettings>["nodeGroups"]): Problem[] {
  return groups.flatMap(({ minSize, maxSize }, index) =>
    minSize > maxSize
      ? [
          {
            path: `spec.eks.nodeGroups[${index}].minSize`,
            message: `must be at most maxSize, which is ${maxSize}`,
          },
        ]
      : [],
  );
}
