import type { ClusterStore } from "../store/cluster-store.ts";
import type { JsonRecord } from "../store/json-value.ts";

const apiGroup = "rbac.authorization.k8s.io";
const readVerbs = ["get", "list", "watch"];
const writeVerbs = ["create", "delete", "deletecollection", "patch", "update"];

const namespacedContent: readonly JsonRecord[] = [
  {
    apiGroups: [""],
    resources: [
      "configmaps",
      "endpoints",
      "events",
      "persistentvolumeclaims",
      "pods",
      "pods/log",
      "pods/status",
      "replicationcontrollers",
      "replicationcontrollers/scale",
      "serviceaccounts",
      "services",
      "services/status",
      "resourcequotas",
      "limitranges",
      "bindings",
    ],
  },
  {
    apiGroups: ["apps"],
    resources: [
      "controllerrevisions",
      "daemonsets",
      "daemonsets/status",
      "deployments",
      "deployments/scale",
      "deployments/status",
      "replicasets",
      "replicasets/scale",
      "replicasets/status",
      "statefulsets",
      "statefulsets/scale",
      "statefulsets/status",
    ],
  },
  { apiGroups: ["batch"], resources: ["cronjobs", "cronjobs/status", "jobs", "jobs/status"] },
  { apiGroups: ["autoscaling"], resources: ["horizontalpodautoscalers", "horizontalpodautoscalers/status"] },
  { apiGroups: ["networking.k8s.io"], resources: ["ingresses", "ingresses/status", "networkpolicies"] },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets", "poddisruptionbudgets/status"] },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"] },
];
const viewRules: readonly JsonRecord[] = [
  ...namespacedContent.map((rule) => ({ ...rule, verbs: readVerbs })),
  { apiGroups: [""], resources: ["namespaces"], verbs: readVerbs },
];
const editRules: readonly JsonRecord[] = [
  ...namespacedContent.map((rule) => ({ ...rule, verbs: [...readVerbs, ...writeVerbs] })),
  { apiGroups: [""], resources: ["secrets"], verbs: [...readVerbs, ...writeVerbs] },
  {
    apiGroups: [""],
    resources: [
      "pods/exec",
      "pods/attach",
      "pods/portforward",
      "pods/proxy",
      "services/proxy",
      "pods/eviction",
    ],
    verbs: ["create", "get"],
  },
  { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"] },
  { apiGroups: [""], resources: ["serviceaccounts/token"], verbs: ["create"] },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: [...readVerbs, ...writeVerbs] },
];

const clusterRoles: Readonly<Record<string, readonly JsonRecord[]>> = {
  "cluster-admin": [
    { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
    { nonResourceURLs: ["*"], verbs: ["*"] },
  ],
  admin: [
    ...editRules,
    { apiGroups: [""], resources: ["namespaces"], verbs: readVerbs },
    { apiGroups: [apiGroup], resources: ["rolebindings", "roles"], verbs: [...readVerbs, ...writeVerbs] },
    { apiGroups: ["authorization.k8s.io"], resources: ["localsubjectaccessreviews"], verbs: ["create"] },
  ],
  edit: [...editRules, { apiGroups: [""], resources: ["namespaces"], verbs: readVerbs }],
  view: viewRules,
  "system:basic-user": [
    {
      apiGroups: ["authorization.k8s.io"],
      resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
      verbs: ["create"],
    },
    { apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"], verbs: ["create"] },
  ],
  "system:discovery": [
    {
      nonResourceURLs: [
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/",
      ],
      verbs: ["get"],
    },
  ],
  "system:public-info-viewer": [
    { nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"], verbs: ["get"] },
  ],
};

const bindings: Readonly<Record<string, readonly string[]>> = {
  "cluster-admin": ["system:masters"],
  "system:basic-user": ["system:authenticated"],
  "system:discovery": ["system:authenticated"],
  "system:public-info-viewer": ["system:authenticated", "system:unauthenticated"],
};

const labels = { "kubernetes.io/bootstrapping": "rbac-defaults" };

/** The roles and bindings that every cluster starts with. */
export function createBootstrapPolicy(store: ClusterStore): void {
  for (const [name, rules] of Object.entries(clusterRoles)) {
    store.create(`clusterroles.${apiGroup}`, {
      apiVersion: `${apiGroup}/v1`,
      kind: "ClusterRole",
      metadata: { name, labels },
      rules,
    });
  }
  for (const [name, groups] of Object.entries(bindings)) {
    store.create(`clusterrolebindings.${apiGroup}`, {
      apiVersion: `${apiGroup}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name, labels },
      subjects: groups.map((group) => ({ kind: "Group", apiGroup, name: group })),
      roleRef: { apiGroup, kind: "ClusterRole", name },
    });
  }
}
