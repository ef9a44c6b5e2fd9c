import type { Static } from "typebox";

import { defineKind } from "../kind/define-kind.ts";
import type { ObjectOf } from "../kind/kind.ts";
import { statusOf } from "../bodies/status.ts";
import {
  choice,
  dateTime,
  flag,
  integer,
  line,
  list,
  object,
  optional,
  text,
  withDefault,
} from "../schema/build.ts";
import { dnsLabel, singleLine, uuid, type TextRule } from "../schema/text-rule.ts";
import type { Problem } from "../validate/report.ts";
import { author, deleter } from "./author.ts";
import {
  clusterApiSettings,
  clusterProviders,
  eksSettings,
  execSettings,
  kindSettings,
  providerProblems,
} from "./cluster-providers.ts";

/** The states of a cluster that a provider makes, in the order in which it goes through them. */
const provisioningStates = [
  "Pending",
  "Creating",
  "Provisioned",
  "Joining",
  "Ready",
  "Updating",
  "Blocked",
  "Lost",
  "Deleting",
] as const;

const region: TextRule = {
  pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
  expects: "a region such as eu-central-1",
  minLength: 1,
  maxLength: 63,
};

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
    choice("Where the cluster comes from: it exists already, or Bowline makes it.", clusterProviders),
    "existing",
  ),
  region: optional(text("Where the cluster runs, for people and for providers that need it.", region)),
  exec: optional(execSettings),
  clusterapi: optional(clusterApiSettings),
  kind: optional(kindSettings),
  eks: optional(eksSettings),
  maxNodes: optional(
    integer("Never more machines than this, all groups together.", { minimum: 1, maximum: 100_000 }),
  ),
  expiresAt: optional(
    dateTime("When the cluster is not needed any more. A warning is told a day before, and when it is over."),
  ),
  autoDelete: optional(flag("Whether the cluster is deleted at expiresAt.")),
  protect: optional(flag("Whether a deletion is refused, until this is taken back.")),
  deletionPolicy: optional(
    choice(
      "What becomes of a cluster that Bowline made when it is deleted here; orphan leaves it there, delete if missing.",
      ["delete", "orphan"],
    ),
  ),
  default: optional(flag("Whether workload instances that name no clusters go to this one.")),
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

const provisioning = object("How far the provider is.", {
  state: choice("What the provider is about.", provisioningStates),
  step: optional(
    object("The step that is under way.", {
      number: integer("Its number, from 1.", { minimum: 1, maximum: 10_000 }),
      of: integer("How many there are.", { minimum: 1, maximum: 10_000 }),
      text: line("The step, in words.", singleLine, 253),
      since: dateTime("When it began."),
      expectedSeconds: optional(
        integer("How long such a step usually takes.", { minimum: 0, maximum: 86_400 }),
      ),
    }),
  ),
  hourlyCost: optional(line("An estimate of what it costs by the hour, such as 0.34 USD.", singleLine, 63)),
  resources: optional(
    integer("How many things there are outside that belong to it.", { minimum: 0, maximum: 100_000 }),
  ),
  leftOver: optional(
    list("Things that are still there after a deletion.", line("Its name.", singleLine, 2048), {
      maxItems: 100,
    }),
  ),
});

const status = statusOf({
  author: optional(author),
  deletedBy: optional(deleter),
  agent: optional(agent),
  provisioning: optional(provisioning),
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
    "spec.default",
    "status.clusterUid",
    "status.conditions.Ready",
    "status.conditions.AgentConnected",
    "status.conditions.Provisioned",
  ],
  references: [
    { field: "spec.eks.credential", kind: "Credential", cascade: "refuse" },
    { field: "spec.exec.env[].credential", kind: "Credential", cascade: "refuse" },
    { field: "spec.clusterapi.managementCluster", kind: "Cluster", cascade: "refuse" },
    { field: "spec.clusterapi.template.definition", kind: "WorkloadDefinition", cascade: "refuse" },
  ],
  immutable: ["spec.provider"],
  // Cluster API makes a cluster in a management cluster, where its author's grants decide what may be done.
  recordsAuthor: true,
  conditions: {
    Provisioned: "The cluster exists: its provider has made it, or it existed before.",
    Progress: "A step of the provider is under way.",
    AgentConnected: "The agent in the cluster has a session open.",
    Expiring: "The time at which it is not needed any more is a day away, or over.",
    Observed: "Everything that the agent is to observe can be read; Ready does not depend on it.",
    Ready: "The cluster can be worked with.",
  },
  finalizers: ["bowline.dev/deprovision"],
  check: (cluster) => [...providerProblems(cluster), ...expiryProblems(cluster)],
});
export type Cluster = ObjectOf<typeof Cluster>;

function expiryProblems({ expiresAt, autoDelete }: ClusterSpec): Problem[] {
  if (autoDelete !== true || expiresAt !== undefined) return [];
  return [{ path: "spec.autoDelete", message: "is only allowed with spec.expiresAt" }];
}
