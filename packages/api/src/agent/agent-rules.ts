/** A rule of RBAC, and why the agent needs it: the manifest says so to whoever applies it. */
export interface AgentRule {
  readonly why: string;
  readonly rule: {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  };
}

/** Names of what the agent keeps in its namespace. */
export const agentNames = {
  /** Of the ServiceAccount, the Deployment and the roles. */
  agent: "bowline-agent",
  joinSecret: "bowline-agent-join",
  keySecret: "bowline-agent-key",
  lease: "bowline-agent",
} as const;

/** Extras of a request through Bowline, which the server sends for the cluster's own audit log. */
const extras = ["bowline.dev/request-id", "bowline.dev/user", "bowline.dev/grant"];

/** With these alone the agent does everything as somebody: by itself it can do next to nothing. */
export const tunnelRules: readonly AgentRule[] = [
  {
    why: "Requests that people make through Bowline are made in their name, so that the roles of this cluster decide what they may do. Which name and groups somebody gets, an AccessGrant on the server says.",
    rule: { apiGroups: [""], resources: ["users", "groups"], verbs: ["impersonate"] },
  },
  {
    why: "The audit log of this cluster then shows the user of Bowline, the AccessGrant and the request id as well.",
    rule: {
      apiGroups: ["authentication.k8s.io"],
      resources: extras.map((extra) => `userextras/${extra}`),
      verbs: ["impersonate"],
    },
  },
  {
    why: "The UID of this namespace tells the server one cluster from another.",
    rule: { apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get"] },
  },
];

/** In its own namespace. The objects are in the manifest, so that the agent need not create any. */
export const namespaceRules: readonly AgentRule[] = [
  {
    why: "The key that the agent makes for itself when it joins is kept in this Secret.",
    rule: {
      apiGroups: [""],
      resources: ["secrets"],
      resourceNames: [agentNames.keySecret],
      verbs: ["get", "update", "patch"],
    },
  },
  {
    why: "Where several agents run, the one that holds this Lease reports.",
    rule: {
      apiGroups: ["coordination.k8s.io"],
      resources: ["leases"],
      resourceNames: [agentNames.lease],
      verbs: ["get", "update", "patch"],
    },
  },
];

/** Roles of a whole cluster have no namespace, and agents of two servers may run in one cluster. */
export function clusterRoleName(namespace: string): string {
  return `${namespace}:${agentNames.agent}`;
}
