import { agentRights, type AgentRights } from "../bodies/join-token.ts";
import { workloadResource } from "../crd/workload-resource.ts";
import { tunnelRules, type AgentRule } from "./agent-rules.ts";

const read = ["get", "list", "watch"];
const { group, plural } = workloadResource;

/** The kinds that workloads are made of. There is no Secret among them. */
const workloadKinds: readonly AgentRule["rule"][] = [
  {
    apiGroups: [""],
    resources: [
      "pods",
      "replicationcontrollers",
      "services",
      "persistentvolumeclaims",
      "serviceaccounts",
      "namespaces",
      "resourcequotas",
      "limitranges",
    ],
    verbs: read,
  },
  {
    apiGroups: ["apps"],
    resources: ["deployments", "replicasets", "statefulsets", "daemonsets"],
    verbs: read,
  },
  { apiGroups: ["batch"], resources: ["jobs", "cronjobs"], verbs: read },
  { apiGroups: ["autoscaling"], resources: ["horizontalpodautoscalers"], verbs: read },
  { apiGroups: ["networking.k8s.io"], resources: ["ingresses", "networkpolicies"], verbs: read },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: read },
  { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: read },
];

const workloadRules: readonly AgentRule[] = [
  {
    why: "What Bowline deployed here, and how it does: written by the server through the agent, and read by the agent, which watches what is named there.",
    rule: {
      apiGroups: [group],
      resources: [plural, `${plural}/status`],
      verbs: [...read, "create", "update", "patch", "delete"],
    },
  },
  {
    why: "The definition of that kind is installed and upgraded by the server, with server-side apply; this one and no other.",
    rule: {
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions"],
      resourceNames: [`${plural}.${group}`],
      verbs: ["create", "update", "patch"],
    },
  },
  {
    why: "Kinds that are installed later are noticed.",
    rule: { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: read },
  },
  ...workloadKinds.map((rule, index) => ({
    why:
      index === 0
        ? "The state of what workloads are made of is reported: names, owners, conditions and counts, never values. Of kinds that no workload has, nothing is read."
        : "The same, in another group.",
    rule,
  })),
  {
    why: "Of ConfigMaps the agent asks for names and versions only; a role cannot say that.",
    rule: { apiGroups: [""], resources: ["configmaps"], verbs: read },
  },
  {
    why: "Events about workloads are reported.",
    rule: { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: read },
  },
];

/** Groups of Kubernetes itself in which nothing is secret. */
const openGroups = [
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "apps",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "coordination.k8s.io",
  "discovery.k8s.io",
  "events.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "gateway.networking.k8s.io",
  "metrics.k8s.io",
  "networking.k8s.io",
  "node.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "resource.k8s.io",
  "scheduling.k8s.io",
  "snapshot.storage.k8s.io",
  "storage.k8s.io",
];

/** All that the core group has to read, but Secrets: a role cannot leave something out, so it names the others. */
const coreKinds = [
  "configmaps",
  "endpoints",
  "events",
  "limitranges",
  "namespaces",
  "nodes",
  "persistentvolumeclaims",
  "persistentvolumes",
  "pods",
  "podtemplates",
  "replicationcontrollers",
  "resourcequotas",
  "serviceaccounts",
  "services",
];

const observeRules: readonly AgentRule[] = [
  {
    why: "Everything of the core group may be looked at, but Secrets.",
    rule: { apiGroups: [""], resources: coreKinds, verbs: read },
  },
  {
    why: "So may all other groups of Kubernetes. Groups of custom resources are not listed here: a role of your own, bound to the same account, adds those that are to be seen.",
    rule: { apiGroups: openGroups, resources: ["*"], verbs: read },
  },
];

const secretRules: readonly AgentRule[] = [
  {
    why: "You chose that the agent may read Secrets. It asks for their names and versions only, and reports no value.",
    rule: { apiGroups: [""], resources: ["secrets"], verbs: read },
  },
];

/** What the agent may do in the cluster as a whole. */
export function clusterRulesFor(rights: AgentRights): readonly AgentRule[] {
  const added = [tunnelRules, workloadRules, observeRules, secretRules];
  return added.slice(0, agentRights.indexOf(rights) + 1).flat();
}
